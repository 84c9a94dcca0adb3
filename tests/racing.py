"""Acts of people at the same moment, where a refusal is an answer like any other."""

from collections.abc import Callable, Sequence
from functools import partial
from threading import Barrier
from typing import Any

from operations.protocol.refusals import Refusal
from tests.together import at_once

type Act = Callable[[], Any]


def race(*acts: Act) -> list[Any]:
    """What each returned, or the refusal that it raised; anything else fails the test."""
    return at_once(*(partial(_answer, act) for act in acts))


def race_in_rounds(*lanes: Sequence[Act]) -> list[tuple[Any, ...]]:
    """The acts of one round start together, round after round, each lane on one connection."""
    start = Barrier(len(lanes))

    def run(lane: Sequence[Act]) -> list[Any]:
        return [(start.wait(timeout=20), _answer(act))[1] for act in lane]

    return list(zip(*at_once(*(partial(run, lane) for lane in lanes)), strict=True))


def refusals(outcomes: Sequence[Any]) -> list[Refusal]:
    """Those of the outcomes that are refusals."""
    return [outcome for outcome in outcomes if isinstance(outcome, Refusal)]


def _answer(act: Act) -> Any:
    try:
        return act()
    except Refusal as refusal:
        return refusal
