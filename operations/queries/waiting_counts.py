"""How much waits for people, for the top bar of every page: one query."""

from dataclasses import dataclass
from datetime import datetime

from django.db import connection

_COUNTS = """
    SELECT clock_timestamp(),
        (SELECT count(*) FROM operations_review WHERE closed_at IS NULL),
        (SELECT count(*) FROM operations_approval
            WHERE status = 'open' AND subject <> 'proposal' AND expires_at > clock_timestamp())
"""


@dataclass(frozen=True, slots=True)
class WaitingCounts:
    """Open reviews and open requests for approval, at the database's clock."""

    at: datetime
    reviews: int
    approvals: int


def waiting_counts() -> WaitingCounts:
    """Counted now, over all environments."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNTS)
        row = cursor.fetchone()
    assert row is not None
    return WaitingCounts(*row)
