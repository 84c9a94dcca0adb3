"""Campaign 10: the broker wiped, absent, repeating, days late and lying. The row is the queue."""

import sqlite3
import time
from statistics import median

from tests.campaigns.harness.campaign import Campaign, Run, Tally
from tests.campaigns.harness.ledger import Ledger
from tests.campaigns.surroundings.aftermath import SETTLED_WITHIN_SECONDS, heal, look_back
from tests.campaigns.surroundings.agents import Agents
from tests.campaigns.surroundings.echo import Echo, a_client
from tests.campaigns.surroundings.forgeries import forged_messages
from tests.campaigns.surroundings.old_messages import let_days_pass, replay
from tests.campaigns.surroundings.prepared import SWEEP_SECONDS
from tests.campaigns.surroundings.site import Site, site_of
from tests.campaigns.surroundings.witness import Witness

# From the answer to the request at the receiver: two sweeps, and what a busy machine takes.
LATEST_SECONDS = 2 * SWEEP_SECONDS + 8
LONGEST_ABSENCE_SECONDS = 60.0
# Until a worker looks for the broker again, connects and hears of a sweep.
BACK_WITHIN_SECONDS = 8.0
REPLAYED_IN_SLICE, REPLAYED = 10, 40


class Broker:
    """What is done to it, counted.

    `slow`: when nothing could get through, or every message came ten times (Unix time).
    """

    def __init__(self, run: Run, site: Site, echo: Echo) -> None:
        self.run, self.site, self.echo = run, site, echo
        self.wipes = self.absences = self.forged = 0
        self.slow: list[tuple[float, float]] = []

    def wipe(self, seconds: float) -> None:
        """FLUSHALL every now and then."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.site.pause(self.run.random.uniform(0.2, 1 if self.run.is_slice else 5))
            with a_client(self.site.record.broker_url) as client:
                client.flushall()
            self.wipes += 1

    def be_absent(self, seconds: float) -> None:
        """Killed, and started again later."""
        began = time.time()
        self.site.kill_broker()
        self.site.pause(seconds)
        self.site.start_broker()
        self.absences += 1
        self.slow.append((began, time.time()))
        self.site.pause(BACK_WITHIN_SECONDS / 2 if self.run.is_slice else 2 * BACK_WITHIN_SECONDS)

    def repeat(self, seconds: float) -> None:
        """Every message ten times, and out of order."""
        began = time.time()
        self.echo.is_copying.set()
        self.site.pause(seconds)
        self.echo.is_copying.clear()
        self.slow.append((began, time.time()))

    def lie(self) -> None:
        """Messages that no console ever sent, to each kind of worker."""
        with a_client(self.site.record.broker_url) as client:
            for raw in forged_messages():
                for queue in ("dispatch", "reconcile", "backlog", "sweep"):
                    client.rpush(queue, raw)  # as the echo does not listen to
                    self.forged += 1
            client.publish("/0.celery.pidbox", b'{"body": "shutdown"}')
        self.site.pause(1)

    def is_excused(self, registered_at: float) -> bool:
        """Whether messages were held up at that time."""
        return any(
            began - LATEST_SECONDS <= registered_at <= ended + BACK_WITHIN_SECONDS
            for began, ended in self.slow
        )


def run(run: Run) -> Tally:
    """Everything in turn while agents work; days later all of it once more."""
    with site_of(run) as site, Echo(site.record.broker_url) as echo:
        agents = Agents(site, Witness(), seed=run.seed, prefix="broker", pause_seconds=0.1)
        broker = Broker(run, site, echo)
        with agents:
            _trouble(run, broker)
        settled_in = heal(agents)
        before = Ledger.read(site.directory.sandbox)
        let_days_pass(site)
        replayed = replay(
            site, list(echo.kept), most=REPLAYED_IN_SLICE if run.is_slice else REPLAYED
        )
        after = look_back(agents, settled_in=settled_in)
        latencies = _latencies(agents, broker)
    if before.requests != after.ledger.requests:
        after.findings.duplicates.append("messages that are days old caused requests")
    if latencies and latencies[-1] > LATEST_SECONDS:
        after.findings.violations.append(f"a send waited {latencies[-1]:.1f} s for a sweep")
    work = {"wipes": broker.wipes, "absences": broker.absences, "copies": echo.copies}
    work |= {"forged messages": broker.forged, "replayed messages": replayed}
    points = broker.wipes + broker.absences + echo.copies + broker.forged + replayed
    return after.tally(points, work | {"timed sends": len(latencies)}, note=_words(latencies))


def _trouble(run: Run, broker: Broker) -> None:
    if run.is_slice:
        broker.wipe(1.5)
        broker.be_absent(2)
        broker.repeat(1.5)
        broker.lie()
        broker.site.pause(1)
        return
    is_first = True
    while is_first or run.seconds_left() > 2 * SETTLED_WITHIN_SECONDS:
        broker.wipe(25)
        is_long = is_first and run.seconds_left() > 2 * LONGEST_ABSENCE_SECONDS
        broker.be_absent(LONGEST_ABSENCE_SECONDS if is_long else run.random.uniform(1, 10))
        broker.repeat(5)
        broker.lie()
        broker.site.pause(5)
        is_first = False


def _latencies(agents: Agents, broker: Broker) -> list[float]:
    """Seconds from registration to request, of what the console sent while nothing held it up."""
    store = agents.site.directory.sandbox / "production.sqlite3"
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=30) as connection:
        rows = connection.execute(
            "SELECT operation_id, min(received_at) FROM requests GROUP BY operation_id"
        ).fetchall()
    connection.close()
    requested = {("production", key): at for key, at in rows if "-console-" in key}
    registered = agents.witness.registered
    return sorted(
        at - registered[place]
        for place, at in requested.items()
        if place in registered and not broker.is_excused(registered[place])
    )


def _words(latencies: list[float]) -> str:
    if not latencies:
        return "no send was timed"
    return f"from answer to request {median(latencies):.2f} s, at most {latencies[-1]:.1f} s"


CAMPAIGN = Campaign(
    name="broker",
    title="The broker wiped, absent, repeating, days late and lying",
    share=1,
    needs_seconds=70,
    run=run,
    least={
        "wipes": 3,
        "absences": 1,
        "copies": 50,
        "forged messages": 100,
        "replayed messages": 200,
        "timed sends": 3,
        "acknowledged confirmations": 20,
    },
    least_in_slice={
        "wipes": 1,
        "absences": 1,
        "copies": 9,
        "forged messages": 100,
        "replayed messages": 100,
        "acknowledged confirmations": 3,
    },
)
