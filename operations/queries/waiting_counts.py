"""How much waits for people, for the top bar of every page: one query."""

from dataclasses import dataclass
from datetime import datetime

from django.db import connection

_COUNTS = """
    SELECT clock_timestamp(),
        (SELECT count(*) FROM operations_review w {narrowed} WHERE closed_at IS NULL),
        (SELECT count(*) FROM operations_approval w {narrowed}
            WHERE status = 'open' AND subject <> 'proposal' AND expires_at > clock_timestamp())
"""
_NARROWED = """
    JOIN operations_operation o ON o.id = w.operation_id AND o.environment = %(environment)s
"""


@dataclass(frozen=True, slots=True)
class WaitingCounts:
    """Open reviews and open requests for approval, at the database's clock."""

    at: datetime
    reviews: int
    approvals: int


def waiting_counts(*, environment: str = "") -> WaitingCounts:
    """Counted now, in one environment or in all of them."""
    narrowed = _NARROWED if environment else ""
    with connection.cursor() as cursor:
        cursor.execute(_COUNTS.format(narrowed=narrowed), {"environment": environment})
        row = cursor.fetchone()
    assert row is not None
    return WaitingCounts(*row)
