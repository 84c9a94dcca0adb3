"""Campaign 5: all orders of each pair of acts, and of some threes, on the real database."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import combinations_with_replacement
from typing import Any

from operations.protocol.refusals import Refusal
from tests.campaigns.harness.boundaries import COMMIT
from tests.campaigns.harness.campaign import Campaign, Run, Tally
from tests.campaigns.harness.rig import Rig
from tests.campaigns.interleavings.acts import call_everybody, no_halts
from tests.campaigns.interleavings.groups import AGREE, GROUPS, NO, YES, Group
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
}


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
    for group in GROUPS:
        pairs = combinations_with_replacement(group.acts, 2)
        found += [Meeting(group, names) for names in (*pairs, *group.threes)]
    return found


def run(run: Run) -> Tally:
    """Meeting after meeting, the decisive ones first, until the budget is over."""
    rig = run.rig()
    call_everybody()
    todo = meetings()
    run.random.shuffle(todo)
    todo.sort(key=lambda meeting: not meeting.is_first)
    if run.focus:
        todo = [meeting for meeting in todo if run.focus in str(meeting)]
    elif run.is_slice:
        todo = [meeting for meeting in todo if meeting.group.name == "the lease is over"]
    violations: list[str] = []
    orders = whole = deadlocks = elsewhere = 0
    with _lanes(rig, count=3) as (lanes, observer):
        for meeting in todo:
            if run.is_over():
                break
            tried = Orders(lanes, observer, partial(_arrange, meeting))
            for ended in tried.all(run.is_over):
                orders += 1
                violations += _judge(meeting, ended)
            whole += tried.is_whole
            deadlocks += tried.deadlocks
            elsewhere += tried.not_repeated
    found = rig.examine(must_be_settled=False)
    return Tally(
        points=orders,
        duplicates=len(found.duplicates),
        lost=len(found.lost),
        violations=(*dict.fromkeys(violations), *found.all),
        work={
            "orders": orders,
            "meetings in all their orders": whole,
            "requests": found.work["requests"],
            "confirmed": found.work.get("confirmed", 0),
        },
        note=f"{whole} of {len(meetings())} meetings whole, {deadlocks} deadlocks,"
        f" {elsewhere} orders could not be repeated",
    )


def _arrange(meeting: Meeting) -> Sequence[Callable[[], Any]]:
    no_halts()
    subject = meeting.group.arrange()
    return [partial(meeting.group.acts[name], subject) for name in meeting.names]


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
)
