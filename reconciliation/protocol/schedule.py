"""When to look again: exponential back-off with jitter, and what the receiver asked for."""

from datetime import datetime, timedelta
from enum import StrEnum

DOUBLINGS = 4
# For those that wait for a person: from 32 intervals to 1,024, so that what nobody settles does
# not fill every sweep. A day at most, unless the first of them is longer.
SLOW_DOUBLINGS = (5, 10)
SLOW_LONGEST = timedelta(days=1)
# The most that jitter adds, as a part of the pause.
JITTER_PART = 0.25


class Pace(StrEnum):
    """How an operation is looked up from now on."""

    GROWING = "growing"  # the pause doubles, 16 intervals at most
    SLOW = "slow"  # a person is asked, but a record may turn up: 32 intervals, and growing
    STOP = "stop"  # nothing more to learn by looking


def next_look_at(
    *,
    now: datetime,
    pace: Pace,
    look_count: int,
    interval_seconds: int,
    jitter: float,
    no_later_than: datetime | None = None,
    retry_after_seconds: int | None = None,
) -> datetime | None:
    """The next instant to look up, or None at Pace.STOP.

    `look_count` counts the lookups so far, this one included; `jitter` is from 0 to 1 and adds up
    to a quarter. `no_later_than` is an instant still ahead at which a look is due in any case (the
    end of the quarantine). Retry-After is a lower bound over all of it.
    """
    if pace is Pace.STOP:
        return None
    at = now + _pause(pace, look_count, interval_seconds) * (1 + jitter * JITTER_PART)
    if no_later_than is not None and now < no_later_than < at:
        at = no_later_than
    if retry_after_seconds is not None:
        at = max(at, now + timedelta(seconds=retry_after_seconds))
    return at


def _pause(pace: Pace, look_count: int, interval_seconds: int) -> timedelta:
    interval, doublings = timedelta(seconds=interval_seconds), max(look_count - 1, 0)
    if pace is Pace.GROWING:
        return interval * (1 << min(doublings, DOUBLINGS))
    least, most = SLOW_DOUBLINGS
    first = interval * (1 << least)
    return max(first, min(interval * (1 << min(doublings, most)), SLOW_LONGEST))
