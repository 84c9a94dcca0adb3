"""Breadth first over every moment that a variant can reach: the first violation is a shortest."""

import gc
import time
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise

from operations.protocol.states import State
from tests.campaigns.model import people, receiver, senders, surroundings
from tests.campaigns.model.promises import Promise, broken_by, broken_in, is_end
from tests.campaigns.model.state import OPEN, UNNEEDED, Act, Attempt, Moment, Step, Worker
from tests.campaigns.model.switches import Rules, World


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What an exploration came to. `is_whole`: nothing reachable was left out.

    `moves`: the changes of state that were met, as (before, after).

    `broken` is the promise that does not hold, and `trace` its shortest counterexample: for the two
    promises of liveness, the way to a moment from which no way leads on.
    """

    states: int
    transitions: int
    moves: frozenset[tuple[State, State]]
    seconds: float
    is_whole: bool
    broken: Promise | None = None
    trace: tuple[Step, ...] = ()


def beginning(world: World) -> Moment:
    """An operation just registered, nobody at work on it yet."""
    workers, attempts = (Worker(),) * world.workers, (Attempt(),) * world.generations
    if world.needs_approval:
        return Moment(State.AWAITING_APPROVAL, workers, attempts, approval=OPEN)
    return Moment(State.READY, workers, attempts, approval=UNNEEDED)


def steps(moment: Moment, world: World, rules: Rules) -> Iterator[Step]:
    """Everything that can happen next. A step that changes nothing may be among it."""
    yield from senders.steps(moment, world, rules)
    yield from receiver.steps(moment, world)
    yield from surroundings.steps(moment, world, rules)
    yield from people.steps(moment, world, rules)


BY_PEOPLE = frozenset(
    {
        Act.APPROVE,
        Act.REJECT,
        Act.WITHDRAW,
        Act.PROPOSE,
        Act.RELEASE,
        Act.FIND,
        Act.ATTEST,
        Act.CLOSE_ATTEMPT,
        Act.SET_ASIDE,
        Act.SETTLE,
        Act.SUPERSEDE,
        Act.SUCCESSOR_SENDS,
    }
)


class _Search:
    """One exploration. Workers are alike, so moments that differ in their order are one."""

    def __init__(self, world: World, rules: Rules, sought: Promise | None) -> None:
        self.world, self.rules, self.sought = world, rules, sought
        first = beginning(world)
        self.numbers = {first: 0}
        self.moments = [first]
        self.parents = array("l", [-1])
        # One row per transition: where from, where to, and whether it takes a person.
        self.moves: set[tuple[State, State]] = set()
        self.sources, self.targets, self.takes_person = array("l"), array("l"), bytearray()

    def run(self) -> tuple[Promise, int, Step | None] | None:
        """The first promise broken, in what moment and by which step; None for none."""
        number = 0
        while number < len(self.moments):
            before = self.moments[number]
            for step in steps(before, self.world, self.rules):
                for broken in self._add(number, before, step):
                    if broken is not None and self.sought in (None, broken):
                        return broken, number, step
            number += 1
        return None

    def _add(self, number: int, before: Moment, step: Step) -> tuple[Promise | None, ...]:
        """The promises broken by the step, and in the moment after it when that is new."""
        after = ordered(step.after)
        if after is before or after == before:
            return (broken_by(before, step, self.world),)
        known = self.numbers.get(after)
        broken = None
        if known is None:
            known = self.numbers[after] = len(self.moments)
            self.moments.append(after)
            self.parents.append(number)
            broken = broken_in(after, self.world)
        if after.state is not before.state:
            self.moves.add((before.state, after.state))
        self.sources.append(number)
        self.targets.append(known)
        self.takes_person.append(step.act in BY_PEOPLE)
        return broken, broken_by(before, step, self.world)

    def dead_end(self, promise: Promise) -> int | None:
        """The nearest moment from which no end (or no person asked) can be reached."""
        goals = _is_asking if promise is Promise.VISIBLE else is_end
        reaches = bytearray(len(self.moments))
        waiting = [number for number, moment in enumerate(self.moments) if goals(moment)]
        for number in waiting:
            reaches[number] = 1
        before = self._backwards(without_people=promise is Promise.VISIBLE)
        while waiting:
            for source in before[waiting.pop()]:
                if not reaches[source]:
                    reaches[source] = 1
                    waiting.append(source)
        found = reaches.find(0)
        return None if found < 0 else found

    def _backwards(self, *, without_people: bool) -> list[list[int]]:
        before: list[list[int]] = [[] for _ in self.moments]
        for source, target, takes in zip(
            self.sources, self.targets, self.takes_person, strict=True
        ):
            if not (takes and without_people):
                before[target].append(source)
        return before

    def trace(self, number: int, last: Step | None) -> tuple[Step, ...]:
        """The steps that lead there, with each worker keeping its place from step to step."""
        path = []
        while number >= 0:
            path.append(self.moments[number])
            number = self.parents[number]
        told: list[Step] = []
        here = path.pop()
        while path:
            goal = path.pop()
            told.append(
                next(
                    step
                    for step in steps(here, self.world, self.rules)
                    if ordered(step.after) == goal
                )
            )
            here = told[-1].after
        if last is not None:
            told.append(self._same(here, last))
        return tuple(told)

    def _same(self, here: Moment, last: Step) -> Step:
        goal = ordered(last.after)
        return next(
            step
            for step in steps(here, self.world, self.rules)
            if step.act is last.act and ordered(step.after) == goal
        )


def _is_asking(moment: Moment) -> bool:
    """Settled, or some person sees it as theirs to answer."""
    waits = moment.state is State.AWAITING_APPROVAL and moment.approval == OPEN
    return is_end(moment) or waits or moment.is_asked or moment.review is not None


def ordered(moment: Moment) -> Moment:
    """The same moment with its workers in a fixed order."""
    workers = moment.workers
    if all(one <= other for one, other in pairwise(workers)):
        return moment
    return moment._replace(workers=tuple(sorted(workers)))


def explore(
    world: World,
    rules: Rules,
    *,
    sought: Promise | None = None,
) -> Found:
    """Explore everything, or until the first violation (of `sought`, where that is given).

    Raises IllegalTransition when a change of state is not in the product's table.
    """
    started = time.monotonic()
    search = _Search(world, rules, sought)

    def found(promise: Promise | None, trace: tuple[Step, ...], *, is_whole: bool) -> Found:
        return Found(
            states=len(search.moments),
            transitions=len(search.targets),
            moves=frozenset(search.moves),
            seconds=time.monotonic() - started,
            is_whole=is_whole,
            broken=promise,
            trace=trace,
        )

    with _no_collections():
        violation = search.run()
    if violation is not None:
        promise, number, step = violation
        return found(promise, search.trace(number, step), is_whole=False)
    for promise in (Promise.AN_END, Promise.VISIBLE):
        if sought in (None, promise):
            stuck = search.dead_end(promise)
            if stuck is not None:
                return found(promise, search.trace(stuck, None), is_whole=True)
    return found(None, (), is_whole=True)


@contextmanager
def _no_collections() -> Iterator[None]:
    """Tuples make no cycles, and looking for some in a million of them takes long."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
