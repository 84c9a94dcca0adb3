"""Campaign 5: all orders of each pair of acts, and of some threes, on the real database."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations_with_replacement
from typing import Any

from operations.protocol.refusals import Refusal
from tests.campaigns.harness.boundaries import COMMIT
from tests.campaigns.harness.campaign import Campaign, Run, Tally
from tests.campaigns.harness.flows.flow import Subject
from tests.campaigns.harness.rig import Rig
from tests.campaigns.interleavings.acts import call_everybody, no_halts
from tests.campaigns.interleavings.groups import AGREE, GROUPS, NO, YES, Group
from tests.campaigns.interleavings.groups_of_people import (
    ANOTHER,
    GROUPS_OF_PEOPLE,
    NOT_OURS,
    ONE,
)
from tests.campaigns.interleavings.lanes import Lane, Observer
from tests.campaigns.interleavings.orders import Ended, Orders

# Tried first, whatever the budget: the ones that decide the most.
FIRST = {
    ("ready", ("claim", "another claim", "claim")),
    ("claimed", ("send", "send")),
    ("claimed", ("send", "halt")),
    ("the lease is over", ("send", "claim")),
    ("one approval is needed", (YES, NO)),
    ("a release is proposed, and the request arrives late", (AGREE, "webhook")),
    ("not executed is proposed, and the request arrives late", (AGREE, "reconcile")),
    ("released and claimed", ("send", "webhook")),
    ("an attempt to be closed", (ONE, ANOTHER)),
    ("late on not executed", ("webhook", "supersede")),
    ("an attestation to be answered", (AGREE, "reconcile")),
    ("a review against a look-up", (NOT_OURS, "reconcile")),
    ("an overdue request", (YES, "sweep requests")),
}


# Of the orders, how many may have gone another way than they were sent, and from how many on.
MOST_ELSEWHERE, FEWEST_ORDERS = 0.1, 20


@dataclass(slots=True)
class Done:
    """What all meetings came to so far."""

    orders: int = 0
    runs: int = 0
    whole: int = 0
    deadlocks: int = 0
    elsewhere: int = 0
    violations: list[str] = field(default_factory=list)

    def add(self, tried: Orders) -> None:
        """A meeting is over."""
        self.runs += tried.runs
        self.whole += tried.is_whole
        self.deadlocks += tried.deadlocks
        self.elsewhere += tried.not_repeated

    def too_many_elsewhere(self) -> Iterator[str]:
        """What was given up was never tried: a run that gave up much has not tried all orders."""
        wished = self.orders + self.elsewhere
        if wished >= FEWEST_ORDERS and self.elsewhere > MOST_ELSEWHERE * wished:
            yield (
                f"expected at most {MOST_ELSEWHERE:.0%} of {wished} orders not to be repeatable,"
                f" got {self.elsewhere}: too little was done"
            )


@dataclass(frozen=True, slots=True)
class Meeting:
    """Some acts of one group that run at the same time."""

    group: Group
    names: tuple[str, ...]

    @property
    def is_first(self) -> bool:
        """Whether it is tried before the others."""
        return (self.group.name, self.names) in FIRST

    def __str__(self) -> str:
        return f"{self.group.name}: {', '.join(self.names)}"


def meetings() -> list[Meeting]:
    """Every pair of every group, each act with itself too, and the threes."""
    found = []
    for group in (*GROUPS, *GROUPS_OF_PEOPLE):
        pairs = combinations_with_replacement(group.acts, 2)
        found += [Meeting(group, names) for names in (*pairs, *group.threes)]
    return found


def run(run: Run) -> Tally:
    """Meeting after meeting, the decisive ones first, until the budget is over."""
    rig = run.rig()
    call_everybody()
    todo = run.mine(meetings())
    run.random.shuffle(todo)
    todo.sort(key=lambda meeting: not meeting.is_first)
    if run.focus:
        todo = [meeting for meeting in todo if run.focus in str(meeting)]
    elif run.is_slice:
        todo = [meeting for meeting in todo if meeting.group.name == "the lease is over"]
    done = Done()
    with _lanes(rig, count=3) as (lanes, observer):
        for meeting in todo:
            if run.is_over():
                break
            scene = Scene(meeting)
            tried = Orders(lanes, observer, scene.arrange, run.random)
            for ended in tried.all(run.is_over):
                done.orders += ended.is_new
                done.violations += scene.judge(ended)
            done.add(tried)
    found = rig.examine(must_be_settled=False)
    return Tally(
        points=done.orders,
        duplicates=len(found.duplicates),
        lost=len(found.lost),
        violations=(*dict.fromkeys(done.violations), *done.too_many_elsewhere(), *found.all),
        work={
            "orders": done.orders,
            "meetings in all their orders": done.whole,
            "meetings": len(todo),
            "runs": done.runs,
            "deadlocks": done.deadlocks,
            "orders that could not be repeated": done.elsewhere,
            "requests": found.work["requests"],
            "confirmed": found.work.get("confirmed", 0),
        },
    )


class Scene:
    """One meeting, with the operation of its last run."""

    def __init__(self, meeting: Meeting) -> None:
        self._meeting = meeting
        self._subject: Subject | None = None

    def arrange(self) -> Sequence[Callable[[], Any]]:
        """A new operation, and its acts."""
        no_halts()
        group = self._meeting.group
        subject = self._subject = group.arrange()
        return [partial(group.acts[name], subject) for name in self._meeting.names]

    def judge(self, ended: Ended) -> Iterator[str]:
        """What came of it that may not come of any order."""
        yield from _judge(self._meeting, ended)
        look_back = self._meeting.group.look_back
        if look_back and self._subject and (wrong := look_back(self._subject)):
            yield f"{self._meeting}: {wrong}{_told(ended)}"


def _judge(meeting: Meeting, ended: Ended) -> Iterator[str]:
    """What an order led to that no order may lead to."""
    won, told = [], _told(ended)
    for name, outcome in zip(meeting.names, ended.outcomes, strict=True):
        if not isinstance(outcome, Exception):
            won.append(name)
        elif not isinstance(outcome, Refusal):
            yield f"{meeting}: {name} ended with {type(outcome).__name__}: {outcome}{told}"
    yield from (f"{meeting}: {clash}{told}" for clash in _clashes(meeting, won, ended))


def _clashes(meeting: Meeting, won: list[str], ended: Ended) -> Iterator[str]:
    group = meeting.group
    for name in group.never.intersection(won):
        yield f"{name} won, which no order allows"
    for rivals in group.one_of:
        winners = [name for name in won if name in rivals]
        if len(winners) > 1:
            yield f"{' and '.join(winners)} both won"
    for first, later in group.shuts:
        if first in won and later in won and _commits(ended, meeting, first, later):
            yield f"{later} won after {first} was committed"


def _commits(ended: Ended, meeting: Meeting, first: str, later: str) -> bool:
    """Whether the last COMMIT of `first` came before that of `later`."""
    at = {step.lane: place for place, step in enumerate(ended.order) if step.what == COMMIT}
    lanes = (meeting.names.index(first), meeting.names.index(later))
    return lanes[0] in at and lanes[1] in at and at[lanes[0]] < at[lanes[1]]


def _told(ended: Ended) -> str:
    return " in the order " + "; ".join(f"{step.lane} {step.what}" for step in ended.order)


@contextmanager
def _lanes(rig: Rig, *, count: int) -> Iterator[tuple[list[Lane], Observer]]:
    observer = Observer(rig.superuser_url)
    lanes = [Lane(number) for number in range(count)]
    for lane in lanes:
        lane.open()
    try:
        yield lanes, observer
    finally:
        for lane in lanes:
            lane.close()
        observer.close()


CAMPAIGN = Campaign(
    name="interleavings",
    title="all orders of the statements of acts that meet at one operation",
    share=2.0,
    run=run,
    least={"orders": 200, "meetings in all their orders": 8},
    least_in_slice={"orders": 10},
    parts=2,
)
