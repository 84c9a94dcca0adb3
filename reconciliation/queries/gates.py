"""How each receiver takes our lookups: its circuit, what is under way, what waits, its lag."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection

from reconciliation.protocol.circuit import CircuitState, circuit_state

COUNTED = 1000  # a longer queue is "1,000 or more"

_GATES = """
    SELECT g.environment, g.receiver, g.opened_at, g.open_until, g.held_until, g.failures_in_row,
        g.last_error, g.last_error_at,
        (SELECT count(*) FROM operations_claim c
            JOIN operations_operation o ON o.id = c.operation_id
            WHERE c.ended_at IS NULL AND c.purpose = 'reconcile' AND c.expires_at > %(now)s
                AND o.environment = g.environment AND o.receiver = g.receiver),
        (SELECT count(*) FROM (
            SELECT 1 FROM operations_operation o
            WHERE o.environment = g.environment AND o.receiver = g.receiver
                AND (o.state = 'sent_unknown' AND o.next_try_at <= %(now)s
                    OR o.state = 'confirmed' AND o.next_try_at IS NOT NULL
                        AND o.next_try_at <= %(now)s)
                AND (o.claim_token IS NULL OR o.claim_given_back OR o.claim_expires_at <= %(now)s)
            LIMIT %(most)s) AS due)
    FROM reconciliation_lookupgate g
"""
# Those whose circuit is open, whose probe is under way, or who asked to be left alone.
_SHUT = """
    SELECT environment, receiver FROM reconciliation_lookupgate
    WHERE open_until > %(now)s OR probe_ends_at > %(now)s OR held_until > %(now)s
"""
# From an operation's first mark to the first lookup that found it, where that was since then.
_LAGS = """
    WITH found AS (
        SELECT operation_id, min(asked_at) AS at FROM operations_lookup l
        WHERE result = 'found' AND asked_at >= %(since)s AND NOT EXISTS (
            SELECT 1 FROM operations_lookup b WHERE b.operation_id = l.operation_id
                AND b.result = 'found' AND b.asked_at < %(since)s)
        GROUP BY operation_id
    ), lags AS (
        SELECT o.environment, o.receiver, f.at - min(a.marked_at) AS lag
        FROM found f JOIN operations_operation o ON o.id = f.operation_id
        JOIN operations_attempt a ON a.operation_id = o.id
        GROUP BY o.id, f.at
    )
    SELECT environment, receiver, percentile_cont(0.5) WITHIN GROUP (ORDER BY lag),
        percentile_cont(0.95) WITHIN GROUP (ORDER BY lag)
    FROM lags GROUP BY environment, receiver
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """One receiver in one environment, as it takes lookups now.

    `opened_at` and `open_until` are None while the circuit is closed, `retry_after` unless the
    receiver asked to be left alone until then. `due_count`: lookups that are due and that nobody
    has taken, counted up to COUNTED. `last_error` is "" where none was ever met.
    """

    circuit: CircuitState = CircuitState.CLOSED
    opened_at: datetime | None = None
    open_until: datetime | None = None
    retry_after: datetime | None = None
    in_flight: int = 0
    due_count: int = 0
    failures_in_row: int = 0
    last_error: str = ""
    last_error_at: datetime | None = None

    @property
    def is_counted_out(self) -> bool:
        """Whether there may be more due than were counted."""
        return self.due_count == COUNTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Lag:
    """From the first mark to the first lookup that found a record: half, and 19 of 20, took it."""

    p50: timedelta
    p95: timedelta


def gates(*, now: datetime) -> Mapping[tuple[str, str], Gate]:
    """By (environment, receiver); one that was never looked up at is missing."""
    with connection.cursor() as cursor:
        cursor.execute(_GATES, {"now": now, "most": COUNTED})
        return {
            (environment, receiver): Gate(
                circuit=circuit_state(opened_at=opened_at, open_until=open_until, now=now),
                opened_at=opened_at,
                open_until=open_until,
                retry_after=held_until if held_until and held_until > now else None,
                failures_in_row=failures,
                last_error=error,
                last_error_at=error_at,
                in_flight=in_flight,
                due_count=due,
            )
            for (
                environment,
                receiver,
                opened_at,
                open_until,
                held_until,
                failures,
                error,
                error_at,
                in_flight,
                due,
            ) in cursor.fetchall()
        }


def shut_gates(*, now: datetime) -> frozenset[tuple[str, str]]:
    """The (environment, receiver) of those that are not to be asked at all now."""
    with connection.cursor() as cursor:
        cursor.execute(_SHUT, {"now": now})
        return frozenset((row[0], row[1]) for row in cursor.fetchall())


def lags(*, since: datetime) -> Mapping[tuple[str, str], Lag]:
    """By (environment, receiver), over the operations that were found first since then."""
    with connection.cursor() as cursor:
        cursor.execute(_LAGS, {"since": since})
        return {(row[0], row[1]): Lag(p50=row[2], p95=row[3]) for row in cursor.fetchall()}
