"""A lookup passes its receiver's gate, or is told why not: circuit, budget, how many at once."""

from datetime import datetime
from typing import Any

from django.db import connection

from operations import clock
from operations.models import Operation
from operations.protocol.profiles import Profile
from reconciliation.models import LookupGate
from reconciliation.protocol.circuit import CircuitState, HoldReason, circuit_state

# Single-row and conditional: whoever waited for another's turn is judged by what that one left.
_GO_AHEAD = """
    UPDATE reconciliation_lookupgate
    SET next_ask_at = CASE
            WHEN %(spacing)s::float IS NULL THEN next_ask_at
            ELSE clock_timestamp() + make_interval(secs => %(spacing)s) END,
        probe_token = CASE WHEN opened_at IS NOT NULL THEN %(token)s::bigint END,
        probe_ends_at = CASE WHEN opened_at IS NOT NULL
            THEN clock_timestamp() + make_interval(secs => %(lease_seconds)s) END
    WHERE environment = %(environment)s AND receiver = %(receiver)s
        AND (held_until IS NULL OR held_until <= clock_timestamp())
        AND (%(spacing)s::float IS NULL OR next_ask_at IS NULL OR next_ask_at <= clock_timestamp())
        AND (opened_at IS NULL OR open_until <= clock_timestamp()
            AND (probe_ends_at IS NULL OR probe_ends_at <= clock_timestamp()))
"""
_MAKE = """
    INSERT INTO reconciliation_lookupgate
        (environment, receiver, failures_in_row, last_error)
    VALUES (%(environment)s, %(receiver)s, 0, '') ON CONFLICT DO NOTHING
"""
# Asked once the gate's row is ours, in a statement of its own, which sees what others committed.
# A claim whose worker was killed counts until its lease is over.
_UNDER_WAY = """
    SELECT count(*) FROM operations_claim c JOIN operations_operation o ON o.id = c.operation_id
    WHERE c.ended_at IS NULL AND c.purpose = 'reconcile' AND c.expires_at > clock_timestamp()
        AND o.environment = %(environment)s AND o.receiver = %(receiver)s AND o.id <> %(id)s
"""


class HeldBack(Exception):
    """The receiver is not to be asked now. Whoever raises it has to undo its transaction."""

    def __init__(self, *, reason: HoldReason, may_ask_at: datetime, last_error: str) -> None:
        self.reason, self.may_ask_at, self.last_error = reason, may_ask_at, last_error
        super().__init__(f"{reason} until {may_ask_at.isoformat()}")


def pass_gate(operation: Operation, profile: Profile, *, token: int, lease_seconds: int) -> None:
    """Count this lookup against its receiver, in the transaction that took `token`.

    The operation's row is locked before the gate's, here and wherever an answer is noted, so that
    none wait crosswise. Raises HeldBack.
    """
    budget = profile.lookups_per_minute
    values: dict[str, Any] = {
        "environment": operation.environment,
        "receiver": operation.receiver,
        "id": operation.pk,
        "token": token,
        "lease_seconds": lease_seconds,
        # Evenly spaced, so that no minute, wherever it begins, has more than the budget.
        "spacing": None if budget is None else 60 / budget,
    }
    with connection.cursor() as cursor:
        if not _changes(cursor, _GO_AHEAD, values):
            cursor.execute(_MAKE, values)  # for the first lookup of all; else it does nothing
            if not _changes(cursor, _GO_AHEAD, values):
                raise _held_back(operation)
        cursor.execute(_UNDER_WAY, values)
        (under_way,) = cursor.fetchone()
    if under_way >= profile.lookups_at_once:
        raise HeldBack(reason=HoldReason.BUSY, may_ask_at=clock.now(), last_error="")


def _changes(cursor: Any, statement: str, values: dict[str, Any]) -> bool:
    cursor.execute(statement, values)
    return bool(cursor.rowcount)


def _held_back(operation: Operation) -> HeldBack:
    """Why, as the gate's row says it now. It may have changed since: then it is just busy."""
    gate = LookupGate.objects.get(environment=operation.environment, receiver=operation.receiver)
    now = clock.now()
    reason, may_ask_at = HoldReason.BUSY, now
    waits = [
        (HoldReason.BUDGET, gate.next_ask_at),
        (HoldReason.CIRCUIT, _asked_again_at(gate, now)),
        (HoldReason.RETRY_AFTER, gate.held_until),
    ]
    for each, until in waits:
        if until is not None and until > may_ask_at:
            reason, may_ask_at = each, until
    return HeldBack(reason=reason, may_ask_at=may_ask_at, last_error=gate.last_error)


def _asked_again_at(gate: LookupGate, now: datetime) -> datetime | None:
    state = circuit_state(opened_at=gate.opened_at, open_until=gate.open_until, now=now)
    if state is CircuitState.CLOSED:
        return None
    return gate.open_until if state is CircuitState.OPEN else gate.probe_ends_at
