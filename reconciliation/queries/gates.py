"""How each receiver takes our lookups: its circuit, what is under way, what waits, its lag."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection

from reconciliation.protocol.circuit import CircuitState, circuit_state

_GATES = """
    SELECT g.environment, g.receiver, g.opened_at, g.open_until, g.held_until, g.failures_in_row,
        g.last_error, g.last_error_at,
        (SELECT count(*) FROM operations_claim c
            JOIN operations_operation o ON o.id = c.operation_id
            WHERE c.ended_at IS NULL AND c.purpose = 'reconcile' AND c.expires_at > %(now)s
                AND o.environment = g.environment AND o.receiver = g.receiver),
        (SELECT count(*) FROM reconciliation_heldlookup h
            JOIN operations_operation o ON o.id = h.operation_id AND o.next_try_at = h.until
            WHERE h.until > %(now)s AND o.environment = g.environment AND o.receiver = g.receiver)
    FROM reconciliation_lookupgate g
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
    receiver asked to be left alone until then. `held_count`: lookups planned for later for want
    of room. `last_error` is "" where none was ever met.
    """

    circuit: CircuitState = CircuitState.CLOSED
    opened_at: datetime | None = None
    open_until: datetime | None = None
    retry_after: datetime | None = None
    in_flight: int = 0
    held_count: int = 0
    failures_in_row: int = 0
    last_error: str = ""
    last_error_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lag:
    """From the first mark to the first lookup that found a record: half, and 19 of 20, took it."""

    p50: timedelta
    p95: timedelta


def gates(*, now: datetime) -> Mapping[tuple[str, str], Gate]:
    """By (environment, receiver); one that was never looked up at is missing."""
    with connection.cursor() as cursor:
        cursor.execute(_GATES, {"now": now})
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
                held_count=held,
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
                held,
            ) in cursor.fetchall()
        }


def lags(*, since: datetime) -> Mapping[tuple[str, str], Lag]:
    """By (environment, receiver), over the operations that were found first since then."""
    with connection.cursor() as cursor:
        cursor.execute(_LAGS, {"since": since})
        return {(row[0], row[1]): Lag(p50=row[2], p95=row[3]) for row in cursor.fetchall()}
