"""When a receiver may be asked at all: its circuit, its budget, and how long the rest waits."""

from datetime import datetime, timedelta
from enum import StrEnum

DOUBLINGS = 4


class CircuitState(StrEnum):
    """Whether a receiver that fails is left alone."""

    CLOSED = "closed"  # it is asked
    OPEN = "open"  # it failed too often in a row: nobody asks until the pause is over
    HALF_OPEN = "half_open"  # the pause is over: one lookup probes it


class HoldReason(StrEnum):
    """Why a due lookup is not made now."""

    CIRCUIT = "circuit"  # the circuit is open, or its probe is under way
    RETRY_AFTER = "retry_after"  # the receiver asked to be left alone
    BUDGET = "budget"  # so many a minute, and no more
    BUSY = "busy"  # so many at once, and no more


# These two are the receiver's own doing: meanwhile it could not be asked.
OF_THE_RECEIVER = frozenset({HoldReason.CIRCUIT, HoldReason.RETRY_AFTER})

# What a 4xx answer says is about our question; these three say that the receiver can't answer.
_CANT_ANSWER = frozenset({404, 408, 429})


def circuit_state(
    *, opened_at: datetime | None, open_until: datetime | None, now: datetime
) -> CircuitState:
    """The state at `now`; reading it changes nothing."""
    if opened_at is None:
        return CircuitState.CLOSED
    return CircuitState.OPEN if open_until and now < open_until else CircuitState.HALF_OPEN


def is_receivers_failure(*, status: int | None, is_ours: bool) -> bool:
    """Whether a could_not_ask speaks against the receiver.

    No answer, a server's error, "too many" and what can't be read do, a 404 that is not the exact
    not-found answer among the last. A refused credential and other answers to what we asked do
    not, nor does a mistake or a limit of ours.
    """
    if is_ours:
        return False
    return status is None or not 400 <= status <= 499 or status in _CANT_ANSWER


def held_until(
    *, may_ask_at: datetime, times_held: int, interval_seconds: int, jitter: float
) -> datetime:
    """When a lookup that was held back is due again: never before the receiver may be asked.

    `times_held` counts this time too; `jitter` is from 0 to 1. What was held back together comes
    back spread over an interval, which doubles with each time to 16 at most: a long queue does
    not come back at one instant, and asks seldom whether there is room.
    """
    doublings = min(max(times_held - 1, 0), DOUBLINGS)
    return may_ask_at + timedelta(seconds=1 + interval_seconds * 2**doublings * jitter)


def hold_sentence(reason: HoldReason, *, receiver: str, last_error: str = "") -> str:
    """Why the lookup waits, for people."""
    said = _SENTENCES[reason].format(receiver=receiver)
    return f"{said} Its last failure: {last_error}" if reason in OF_THE_RECEIVER else said


_SENTENCES = {
    HoldReason.CIRCUIT: "{receiver} failed too often in a row, so it is left alone for a while.",
    HoldReason.RETRY_AFTER: "{receiver} asked to be left alone for a while.",
    HoldReason.BUDGET: "{receiver} is asked so many times a minute and not more often.",
    HoldReason.BUSY: "As many lookups as {receiver} takes at once are under way.",
}
