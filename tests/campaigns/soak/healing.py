"""After the last fault: everything runs again, and settles in a time that can be told before."""

import time

import psycopg

from opsconsole.embedded.record import DATABASE
from tests.campaigns.harness.promises import STUCK
from tests.campaigns.soak.agents import SoakAgents
from tests.campaigns.soak.people import People
from tests.campaigns.soak.site import QUARANTINE_SECONDS, SoakSite
from tests.campaigns.soak.strikes import Chaos
from tests.campaigns.surroundings.aftermath import heal
from tests.campaigns.surroundings.agents import ENVIRONMENT
from tests.campaigns.surroundings.prepared import SWEEP_SECONDS

LOOKUP_LEASE_SECONDS = 30
# What a machine that is busy with other things takes for its sweeps.
GRACE_SECONDS = 10
SETTLED_WITHIN_SECONDS = (
    LOOKUP_LEASE_SECONDS + 2 * SWEEP_SECONDS + QUARANTINE_SECONDS + GRACE_SECONDS
)
WHOLE_WITHIN_SECONDS = 60
# People do one thing after the other, each of them several times until a case is closed.
LEFT_TO_PEOPLE_SECONDS, SECONDS_A_CASE = 60, 6
READY = "SELECT count(*) FROM operations_operation WHERE state = 'ready'"


def mend_all(site: SoakSite, chaos: Chaos) -> float:
    """End every fault; returns when everything ran again (monotonic time)."""
    chaos.heal()
    site.make_whole()
    until = time.monotonic() + WHOLE_WITHIN_SECONDS
    while not site.is_whole:
        assert time.monotonic() < until, "some process does not stay up"
        chaos.pause(0.1)
    answer = site.sandbox.call("GET", "/faults", environment=ENVIRONMENT).raise_for_status()
    for key in {armed["operation_id"] for armed in answer.json()["faults"]}:
        site.sandbox.clear_faults(key, environment=ENVIRONMENT)
    site.wait_until_ready()
    return time.monotonic()


def wait_until_settled(site: SoakSite, *, since: float) -> tuple[float, list[str]]:
    """Seconds until nothing was stuck any more, though no agent came back; what is late, else."""
    while True:
        left = _stuck(site)
        seconds = time.monotonic() - since
        if not left or seconds > SETTLED_WITHIN_SECONDS:
            words = f"not settled {seconds:.0f} s after everything ran again"
            return seconds, [f"{words}: {row}" for row in left]
        site.pause(0.2)


def settle_by_people(people: People, agents: SoakAgents) -> list[str]:
    """Until nothing is left; agents send what was released or approved. What stays is told."""
    cases = people.cases()
    until = time.monotonic() + LEFT_TO_PEOPLE_SECONDS + SECONDS_A_CASE * len(cases)
    while (cases or _ready(people.site)) and time.monotonic() < until:
        for case in cases:
            people.site.tend()
            people.attend(case)
        heal(agents)
        people.site.pause(0.5)
        cases = people.cases()
    return [f"people could not settle {case}" for case in cases]


def _stuck(site: SoakSite) -> list[str]:
    with psycopg.connect(site.record.superuser_url(DATABASE)) as connection:
        return [str(row) for row in connection.execute(STUCK)]


def _ready(site: SoakSite) -> int:
    with psycopg.connect(site.record.superuser_url(DATABASE)) as connection:
        row = connection.execute(READY).fetchone()
        return int(row[0]) if row else 0
