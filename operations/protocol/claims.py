"""What a claim allows, by its lease and its fencing token (rules 4, 7 and 9)."""

from datetime import datetime

from operations.protocol.states import Purpose, State


def is_live(expires_at: datetime | None, now: datetime) -> bool:
    """Whether the lease still runs: its last instant does not belong to it."""
    return expires_at is not None and now < expires_at


def is_current(token: int, current_token: int | None, *, given_back: bool) -> bool:
    """Whether reports under `token` count (rule 4).

    A token is current until a higher one is issued or it is given back. Expiry alone stops marks
    and renewals, not reports: the call that it covered may have come back late.
    """
    return current_token is not None and token == current_token and not given_back


def can_mark(
    token: int,
    current_token: int | None,
    *,
    state: State,
    purpose: Purpose | None,
    given_back: bool,
    expires_at: datetime | None,
    send_until: datetime,
) -> bool:
    """The claim's part of rule 1: `ready`, the current dispatch claim, a lease that lasts until
    the send deadline (`send_until`; rule 9: a deadline is never longer than the lease)."""
    return (
        state is State.READY
        and purpose is Purpose.DISPATCH
        and is_current(token, current_token, given_back=given_back)
        and expires_at is not None
        and send_until <= expires_at
    )
