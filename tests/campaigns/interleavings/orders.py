"""All orders of the statements of acts that run at the same time, each really run.

A search without stored states: one run for each order, begun afresh. Orders that differ only in
independent neighbours lead to the same end, so one of them is enough: sleep sets leave the others
out (Godefroid, "Partial-Order Methods for the Verification of Concurrent Systems", chapter 5).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from tests.campaigns.harness.boundaries import COMMIT, ROLLBACK
from tests.campaigns.interleavings.lanes import Lane, Observer, Standing

_WRITES = ("INSERT", "UPDATE", "DELETE", "WITH")
# How often a branch is tried that the same steps did not lead to, before it is given up.
TRIES = 3
# Triggers of the operation's row write there.
_WRITTEN_BY_TRIGGERS = frozenset({"operations_approval"})


type Act = Callable[[], Any]


class Step(NamedTuple):
    """A lane with the statement before which it stands."""

    lane: int
    what: str
    tables: frozenset[str]


class Branch(NamedTuple):
    """The lanes let on so far, and what sleeps there."""

    prefix: tuple[int, ...]
    asleep: frozenset[Step]
    tries_left: int = TRIES


@dataclass(frozen=True, slots=True)
class Ended:
    """One order that was run to its end: what each act returned or raised.

    `is_new`: no other run has this order. One that is not new, or that went another way than it
    was sent, did happen all the same, and is judged like any other.
    """

    outcomes: tuple[Any, ...]
    order: tuple[Step, ...]
    is_new: bool


class Orders:
    """Runs every order of the acts that `arrange` makes, until told to stop.

    `random` says which branch is next, so that a run that is stopped has not only seen orders that
    differ near their ends.
    """

    def __init__(
        self,
        lanes: Sequence[Lane],
        observer: Observer,
        arrange: Callable[[], Sequence[Act]],
        random: Random,
    ) -> None:
        self._lanes, self._observer, self._arrange = lanes, observer, arrange
        self._random = random
        self.runs = 0
        self.is_whole = False
        self.deadlocks = 0
        self.not_repeated = 0

    def all(self, is_over: Callable[[], bool]) -> Iterator[Ended]:
        """The end of each run. `is_whole` tells afterwards whether no order was left out."""
        # Where a later run branches off, with the steps that sleep there.
        open_ends: list[Branch] = [Branch((), frozenset())]
        while open_ends:
            if is_over():
                return
            at = self._random.randrange(len(open_ends))
            open_ends[at], open_ends[-1] = open_ends[-1], open_ends[at]
            branch = open_ends.pop()
            run = _Search(branch, open_ends)
            self.runs += 1
            outcomes = self._carry_out(run)
            if not run.is_repeated:
                self._try_again(branch, open_ends)
            yield Ended(outcomes, tuple(run.order), is_new=run.is_new and run.is_repeated)
        self.is_whole = not self.not_repeated

    def _try_again(self, branch: Branch, open_ends: list[Branch]) -> None:
        if branch.tries_left > 1:
            open_ends.append(branch._replace(tries_left=branch.tries_left - 1))
        else:
            self.not_repeated += 1

    def _carry_out(self, run: "_Search") -> tuple[Any, ...]:
        acts = self._arrange()
        lanes = self._lanes[: len(acts)]
        for lane, act in zip(lanes, acts, strict=True):
            lane.begin(act)
        while any(lane.standing is not Standing.DONE for lane in lanes):
            ready = [lane for lane in lanes if lane.standing is Standing.WAITING]
            if ready:
                self._advance(lanes, run.choose({lane.number: _step(lane) for lane in ready}))
            else:
                self.deadlocks += 1  # PostgreSQL ends it by refusing one of them
                for lane in lanes:
                    lane.await_release()
        return tuple(lane.outcome for lane in lanes)

    def _advance(self, lanes: Sequence[Lane], chosen: int) -> None:
        lane = lanes[chosen]
        may_free = lane.may_free_locks
        lane.step()
        lane.look(self._observer)
        for other in lanes:
            if may_free and other.standing is Standing.BLOCKED:
                other.look(self._observer)


class _Search:
    """One run: it follows its branch, then takes the first step that is awake, noting the rest.

    When all that may go on is asleep, another run has that order, and this one only ends its acts.
    """

    def __init__(self, branch: Branch, open_ends: list[Branch]) -> None:
        self._prefix, self._asleep = branch.prefix, branch.asleep
        self._open_ends = open_ends
        self._wrote: dict[int, set[str]] = {}
        self.order: list[Step] = []
        self.is_new = True
        self.is_repeated = True

    def choose(self, steps: dict[int, Step]) -> int:
        """The lane to let on, of those that may go on."""
        place = len(self.order)
        is_given = self.is_repeated and place < len(self._prefix)
        chosen = self._prefix[place] if is_given else self._branch(steps)
        if chosen not in steps:
            # The same steps led elsewhere: a lock was free a moment sooner or later than before.
            self.is_repeated = self.is_new = False
            chosen = next(iter(steps))
        step = steps[chosen]
        self.order.append(step)
        _note_writes(step, self._wrote)
        return chosen

    def _branch(self, steps: dict[int, Step]) -> int:
        awake = [number for number, step in steps.items() if step not in self._asleep]
        if not awake or not self.is_new:
            self.is_new = False
            return next(iter(steps))
        chosen, *others = awake
        sleeping = {*self._asleep, steps[chosen]}
        taken = tuple(step.lane for step in self.order)
        for number in others:
            rest = self._still_asleep(sleeping, steps[number])
            self._open_ends.append(Branch((*taken, number), rest))
            sleeping.add(steps[number])
        self._asleep = self._still_asleep(set(self._asleep), steps[chosen])
        return chosen

    def _still_asleep(self, sleeping: set[Step], taken: Step) -> frozenset[Step]:
        """A step sleeps on as long as only steps independent of it are taken."""
        return frozenset(s for s in sleeping if not depends(s, taken, self._wrote))


def _step(lane: Lane) -> Step:
    assert lane.waits_at is not None
    return Step(lane.number, lane.waits_at.what, lane.waits_at.tables)


def depends(one: Step, other: Step, wrote: dict[int, set[str]]) -> bool:
    """Whether the order of two neighbours may matter. In doubt it does.

    Under READ COMMITTED a read sees what was committed before it, and nothing else of the others.
    Whatever takes a lock depends on all that takes or frees one: a foreign key locks a row of a
    table that its statement does not name.
    """
    if one.lane == other.lane:
        return True
    ends = [step for step in (one, other) if step.what in (COMMIT, ROLLBACK)]
    if len(ends) == 1:
        read = other if ends[0] is one else one
        if "clock_timestamp" in read.what and not read.tables:
            return False
        return (
            takes_locks(read)
            or not read.tables
            or bool(read.tables & wrote.get(ends[0].lane, set()))
        )
    return bool(ends) or (takes_locks(one) and takes_locks(other))


def takes_locks(step: Step) -> bool:
    """Whether a statement takes locks that another may wait for."""
    is_locking = " locked " in step.what or "advisory" in step.what
    return is_locking or step.what.startswith(_WRITES)


def _note_writes(step: Step, wrote: dict[int, set[str]]) -> None:
    if step.what in (COMMIT, ROLLBACK):
        wrote[step.lane] = set()
    elif step.what.startswith(_WRITES):
        wrote.setdefault(step.lane, set()).update(step.tables | _WRITTEN_BY_TRIGGERS)
