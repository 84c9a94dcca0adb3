"""Campaign 5: all orders of each pair of acts, and of some threes, on the real database."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import combinations_with_replacement, islice

from tests.campaigns.harness.campaign import Campaign, Run, Tally
from tests.campaigns.harness.rig import Rig
from tests.campaigns.interleavings.acts import call_everybody
from tests.campaigns.interleavings.groups import AGREE, GROUPS, NO, YES
from tests.campaigns.interleavings.groups_of_people import (
    ANOTHER,
    GROUPS_OF_PEOPLE,
    NOT_OURS,
    ONE,
)
from tests.campaigns.interleavings.judging import Meeting, Scene
from tests.campaigns.interleavings.lanes import Lane, Observer
from tests.campaigns.interleavings.orders import Orders

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
# Runs of one meeting before the next has its turn.
AT_A_TIME = 25


@dataclass(slots=True)
class Done:
    """What all meetings came to so far; each violation is told once."""

    orders: int = 0
    violations: dict[str, None] = field(default_factory=dict)


def too_many(elsewhere: int, *, orders: int) -> Iterator[str]:
    """An order that was given up was never tried: a run of many has not done what it says."""
    wished = orders + elsewhere
    if wished >= FEWEST_ORDERS and elsewhere > MOST_ELSEWHERE * wished:
        yield (
            f"expected at most {MOST_ELSEWHERE:.0%} of {wished} orders not to be repeatable,"
            f" got {elsewhere}: too little was done"
        )


def meetings() -> list[Meeting]:
    """Every pair of every group, each act with itself too, and the threes."""
    found = []
    for group in (*GROUPS, *GROUPS_OF_PEOPLE):
        pairs = combinations_with_replacement(group.acts, 2)
        found += [Meeting(group, names) for names in (*pairs, *group.threes)]
    return found


def run(run: Run) -> Tally:
    """Some orders of each meeting, the decisive ones first, then more of each, until the budget is
    over or every order of every meeting was tried. One that was asked for alone ends at its first
    violation.
    """
    todo = _chosen(run)
    if not todo:
        return Tally(points=0)
    rig = run.rig()
    call_everybody()
    done = Done()
    with _lanes(rig, count=3) as (lanes, observer):
        trials = [Trial(Scene(meeting), lanes, observer, run) for meeting in todo]
        waiting = trials
        while waiting and not run.is_over() and not (run.focus and done.violations):
            waiting = [trial for trial in waiting if trial.goes_on(done)]
    found = rig.examine(must_be_settled=False)
    elsewhere = sum(trial.orders.not_repeated for trial in trials)
    return Tally(
        points=done.orders,
        duplicates=len(found.duplicates),
        lost=len(found.lost),
        violations=(*done.violations, *too_many(elsewhere, orders=done.orders), *found.all),
        work={
            "orders": done.orders,
            "meetings in all their orders": sum(trial.orders.is_whole for trial in trials),
            "meetings": sum(trial.orders.runs > 0 for trial in trials),
            "runs": sum(trial.orders.runs for trial in trials),
            "deadlocks": sum(trial.orders.deadlocks for trial in trials),
            "orders that could not be repeated": elsewhere,
            "requests": found.work["requests"],
            "confirmed": found.work.get("confirmed", 0),
        },
        note=f"{len(meetings())} meetings listed",
    )


def _chosen(run: Run) -> list[Meeting]:
    todo = [meeting for meeting in meetings() if run.focus in str(meeting)]
    if run.is_slice and not run.focus:
        todo = [meeting for meeting in todo if meeting.group.name == "the lease is over"]
    todo = run.mine(todo)
    run.random.shuffle(todo)
    return sorted(todo, key=lambda meeting: (meeting.group.name, meeting.names) not in FIRST)


class Trial:
    """One meeting, tried a few orders at a time."""

    def __init__(self, scene: Scene, lanes: Sequence[Lane], observer: Observer, run: Run) -> None:
        self._scene = scene
        self.orders = Orders(lanes, observer, scene.arrange, run.random)
        self._endings = self.orders.all(run.is_over)

    def goes_on(self, done: Done) -> bool:
        """Try the next few; whether there may be more."""
        before = self.orders.runs
        for ended in islice(self._endings, AT_A_TIME):
            done.orders += ended.is_new
            done.violations.update(dict.fromkeys(self._scene.judge(ended)))
        return self.orders.runs - before == AT_A_TIME


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
    share=3,
    needs_seconds=60,
    run=run,
    has_focus=True,
    least={"orders": 200, "meetings": 20, "meetings in all their orders": 2},
    least_in_slice={"orders": 10},
    parts=2,
)
