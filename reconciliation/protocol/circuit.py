"""Whether a receiver that fails is asked, and what speaks against it."""

from datetime import datetime
from enum import StrEnum


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
