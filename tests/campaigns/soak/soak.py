"""Campaign 8: all faults at once, by a seeded schedule, while agents and people are at work.

First nothing may go wrong, whatever is broken. Then all is mended, and within a lease, two sweeps
and a quarantine every operation is settled, or in front of a person; people then settle the rest.
"""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import batched

import psycopg

from opsconsole.embedded.record import DATABASE
from tests.campaigns.harness.campaign import Campaign, Run, Tally
from tests.campaigns.harness.invariants import Findings, examine
from tests.campaigns.harness.ledger import Ledger
from tests.campaigns.soak.books import releases, states_seen
from tests.campaigns.soak.crew import Crew
from tests.campaigns.soak.healing import mend_all, settle_by_people, wait_until_settled
from tests.campaigns.soak.people import Attending, People
from tests.campaigns.soak.schedule import KINDS, KINDS_OF_A_SLICE, Strike, rounds
from tests.campaigns.soak.site import SoakSite
from tests.campaigns.soak.strikes import Chaos
from tests.campaigns.surroundings.aftermath import Aftermath, heal, look_back
from tests.campaigns.surroundings.reader import Reader

# What healing, people and the last examination need of the budget: more, the more was done.
KEPT_SECONDS, KEPT_SHARE = 45, 0.35
EXAMINED_EVERY = 8
CREW, CREW_IN_A_SLICE = 3, 2
AGENTS_AT_WORK_WITHIN_SECONDS, FIRST_MARKS = 90, 3
STATES = 7


@dataclass
class Soak:
    """One run: its console, agents, people and chaos, and what was found on the way."""

    run: Run
    site: SoakSite
    findings: list[Findings] = field(default_factory=list)
    examinations: int = 0

    def __post_init__(self) -> None:
        # A stopped PostgreSQL must not hold up who examines: it is the one who mends, too.
        self.url = f"{self.site.record.superuser_url(DATABASE)}&connect_timeout=2"
        size = CREW_IN_A_SLICE if self.run.is_slice else CREW
        folder = self.run.directory / "agents"
        self.crew = Crew(self.site, folder, seed=self.run.seed, size=size)
        self.crew.start()
        self.people = People(self.site, seed=self.run.seed)
        self.reader = Reader(self.site)
        self.chaos = Chaos(self.site, self.crew)

    def be_safe(self) -> None:
        """The schedule, round after round: the first is carried out whatever the budget says."""
        with Attending(self.people), _reading(self.reader):
            self._wait_for_agents()
            self._carry_out()
            self.chaos.heal()  # or people would wait for the answers of what is stopped

    def _carry_out(self) -> None:
        for number, strikes in enumerate(rounds(self.run.seed, is_slice=self.run.is_slice)):
            if number and not self._has_time():
                return
            for some in batched(strikes, EXAMINED_EVERY):
                self.run.say(f"round {number + 1}: " + ", ".join(map(str, some)))
                for strike in some:
                    self.chaos.strike(strike)
                    if number and not self._has_time():
                        return
                self.examine()
            if not number:
                self._make_up_for(strikes)

    def _make_up_for(self, strikes: Iterable[Strike]) -> None:
        """Whose victim was away all the time has its turn once everything is there again."""
        for strike in strikes:
            if not self.chaos.done[strike.kind]:
                self.run.say(f"the victim was away, so once more: {strike}")
                self.chaos.heal()
                self.chaos.strike(strike)

    def _wait_for_agents(self) -> None:
        until = time.monotonic() + AGENTS_AT_WORK_WITHIN_SECONDS
        while len(self.crew.witness.marks) < FIRST_MARKS:
            assert time.monotonic() < until, f"no agent sent anything: {self.crew.endings}"
            self.chaos.pause(0.2)
            self.crew.listen()

    def examine(self, *, must_be_settled: bool = False) -> None:
        """In the middle of everything: what is acknowledged and sent is on record by then."""
        self.crew.listen()
        ledger, known = Ledger.read(self.site.directory.sandbox), list(self.crew.witness.registered)
        until = time.monotonic() + 60
        while True:
            try:
                found = examine(
                    self.url, ledger=ledger, acknowledged=known, must_be_settled=must_be_settled
                )
                break
            except psycopg.OperationalError:  # killed or stopped at present
                assert time.monotonic() < until, "no database for 60 s"
                self.chaos.pause(0.2)
        self.findings.append(found)
        self.examinations += 1

    def _has_time(self) -> bool:
        kept = max(KEPT_SECONDS, KEPT_SHARE * self.run.seconds)
        return not self.run.is_slice and self.run.seconds_left() > kept


def run(run: Run) -> Tally:
    """Safety, then liveness, then people."""
    run.directory.chmod(0o711)  # as root, the account of the servers passes through
    site = SoakSite(run.directory / "data")
    try:
        site.begin()
        soak = Soak(run, site)
        soak.be_safe()
        settled_in = _heal(soak)
        agents = soak.crew.returned(soak.reader)
        heal(agents)
        agents.pending.clear()  # told by now
        soak.examine(must_be_settled=True)
        asked = len(soak.people.cases())
        soak.findings.append(Findings(violations=settle_by_people(soak.people, agents)))
        soak.people.close()
        after = look_back(agents, settled_in=settled_in)
        return _tally(soak, after, asked=asked)
    finally:
        site.stop()


@contextmanager
def _reading(reader: Reader) -> Iterator[None]:
    reader.start()
    try:
        yield
    finally:
        reader.end()


def _heal(soak: Soak) -> float:
    """Mend everything, and measure; what takes too long is stuck."""
    soak.crew.end()
    seconds, late = wait_until_settled(soak.site, since=mend_all(soak.site, soak.chaos))
    soak.findings.append(Findings(stuck=late))
    return seconds


def _tally(soak: Soak, after: Aftermath, *, asked: int) -> Tally:
    for found in soak.findings:
        for kind in ("duplicates", "lost", "stuck", "violations"):
            ours = getattr(after.findings, kind)
            ours += [line for line in getattr(found, kind) if line not in ours]
    after.findings.violations += soak.people.faults
    done = soak.chaos.done
    work = {
        "strikes": done.total(),
        "kinds of faults": sum(count > 0 for count in done.values()),
        "states": len(states_seen(soak.url)),
        "examinations": soak.examinations,
        "operations": after.findings.work["operations"],
        "decisions of people": soak.people.done.total(),
        "releases": releases(soak.url),
    }
    endings = {name: after.findings.work.get(name, 0) for name in ("refused", "not_executed")}
    endings |= {"cancelled": after.findings.work.get("cancelled", 0)}
    note = f"{asked} operations were left to people"
    return after.tally(done.total(), work | endings, note=note)


CAMPAIGN = Campaign(
    name="soak",
    title="All faults at once, by a seeded schedule, until everything heals",
    share=4,
    needs_seconds=130,
    run=run,
    least={
        "kinds of faults": len(KINDS),
        "states": STATES,
        "confirmed": 40,
        "examinations": 4,
        "decisions of people": 10,
        "releases": 1,
    },
    least_in_slice={"kinds of faults": len(KINDS_OF_A_SLICE), "confirmed": 5, "examinations": 2},
    slice_seconds=20,
)
