"""How much waits for people, for the top bar of every page: one query."""

from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from operations.queries.environments import scope_of

_COUNTS = """
    SELECT clock_timestamp(),
        (SELECT count(*) FROM operations_review w
            JOIN operations_operation o ON o.id = w.operation_id
            WHERE closed_at IS NULL
                AND %(environment)s IN ('', o.environment) AND o.environment <> %(left_out)s),
        (SELECT count(*) FROM operations_approval w
            JOIN operations_operation o ON o.id = w.operation_id
            WHERE status = 'open' AND subject <> 'proposal' AND expires_at > clock_timestamp()
                AND %(environment)s IN ('', o.environment) AND o.environment <> %(left_out)s)
"""


@dataclass(frozen=True, slots=True)
class WaitingCounts:
    """Open reviews and open requests for approval, at the database's clock."""

    at: datetime
    reviews: int
    approvals: int


def waiting_counts(*, environment: str = "") -> WaitingCounts:
    """Counted now, in one environment or in all but the drills'."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNTS, scope_of(environment))
        row = cursor.fetchone()
    assert row is not None
    return WaitingCounts(*row)
