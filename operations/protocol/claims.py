"""What a lease allows (rules 4, 7 and 9)."""

from datetime import datetime


def is_live(expires_at: datetime | None, now: datetime) -> bool:
    """Whether the lease still runs: its last instant does not belong to it."""
    return expires_at is not None and now < expires_at
