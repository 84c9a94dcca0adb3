"""A meeting of some acts at one operation, and what may not come of any order of it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from operations.protocol.refusals import Refusal
from tests.campaigns.harness.boundaries import COMMIT
from tests.campaigns.harness.flows.flow import Subject
from tests.campaigns.interleavings.acts import clear_up
from tests.campaigns.interleavings.groups import Group
from tests.campaigns.interleavings.orders import Ended


@dataclass(frozen=True, slots=True)
class Meeting:
    """Some acts of one group that run at the same time."""

    group: Group
    names: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.group.name}: {', '.join(self.names)}"


class Scene:
    """One meeting, with the operation of its last run."""

    def __init__(self, meeting: Meeting) -> None:
        self._meeting = meeting
        self._subject: Subject | None = None

    def arrange(self) -> Sequence[Callable[[], Any]]:
        """A new operation, and its acts."""
        clear_up()
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
