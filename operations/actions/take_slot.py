"""Taking and freeing the machine slot: one conditional UPDATE on the database's clock (rule 7)."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from operations import clock, rows
from operations.actors import Actor
from operations.models import Claim, Operation
from operations.protocol.states import ClaimEnd, Purpose, Slot, State

_TAKE = """
    UPDATE operations_operation
    SET claim_token = nextval('operations_fencing_token'),
        claim_holder = %(holder)s,
        claim_purpose = %(purpose)s,
        claim_taken_at = clock_timestamp() - make_interval(secs => %(ago)s),
        claim_expires_at = clock_timestamp() + make_interval(secs => %(lease_seconds)s - %(ago)s),
        claim_given_back = false,
        claims_without_mark = claims_without_mark + %(counts)s
    WHERE id = %(id)s
        AND state = ANY(%(states)s)
        AND (%(version)s::bigint IS NULL OR version = %(version)s)
        AND (claim_token IS NULL OR claim_given_back OR claim_expires_at <= clock_timestamp())
        AND NOT EXISTS (
            SELECT 1 FROM operations_review r
            WHERE r.operation_id = operations_operation.id
                AND r.closed_at IS NULL AND r.question <> 'stalled'
                AND operations_operation.state = 'ready'
        )
        AND (%(agent_id)s::bigint IS NULL OR (agent_id = %(agent_id)s AND executor = 'agent'))
        AND (NOT %(is_due_only)s OR next_try_at <= clock_timestamp())
        {and_also}
    RETURNING claim_token
"""

# No lookup is taken as evidence while the sender may still act (rule 9).
_AFTER_THE_DEADLINE = """
        AND NOT EXISTS (
            SELECT 1 FROM operations_attempt a
            WHERE a.operation_id = operations_operation.id
                AND a.send_deadline_at > clock_timestamp()
        )
"""

_END = """
    UPDATE operations_claim SET ended_at = %(at)s, "end" = %(end)s
    WHERE operation_id = %(id)s AND slot = %(slot)s AND ended_at IS NULL
"""


def take_slot(
    *,
    operation_id: UUID,
    purpose: Purpose,
    holder: str,
    lease_seconds: int,
    version: int | None = None,
    is_due_only: bool = False,
    agent_id: int | None = None,
) -> bool:
    """Whether the machine slot was free and is now held, in the caller's transaction.

    Dispatch needs `ready` and no open review; reconcile an outcome to look up (`sent_unknown`, or
    `confirmed` where a lookup is due) after the send deadline. `is_due_only` asks for a due row,
    `agent_id` for one that this agent sends itself.
    The row is locked from here on when it was taken.
    """
    dispatches = purpose == Purpose.DISPATCH
    states = (State.READY,) if dispatches else (State.SENT_UNKNOWN, State.CONFIRMED)
    values: dict[str, Any] = {
        "id": operation_id,
        "holder": holder,
        "purpose": str(purpose),
        "lease_seconds": lease_seconds,
        "ago": clock.ago_seconds(),
        "version": version,
        "is_due_only": is_due_only,
        "agent_id": agent_id,
        "states": [str(state) for state in states],
        "counts": 1 if dispatches else 0,
    }
    statement = _TAKE.format(and_also="" if dispatches else _AFTER_THE_DEADLINE)
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchone() is not None


def enter_claim(operation: Operation, *, actor: Actor, lease_seconds: int, nonce: str) -> Claim:
    """Write the claim just taken into the ledger; the one it replaces ends as expired."""
    end_claim(operation, end=ClaimEnd.EXPIRED, at=operation.claim_taken_at)
    assert operation.claim_token is not None
    assert operation.claim_taken_at is not None
    assert operation.claim_expires_at is not None
    return rows.insert(
        Claim(
            operation=operation,
            slot=Slot.MACHINE,
            purpose=operation.claim_purpose,
            token=operation.claim_token,
            holder=operation.claim_holder,
            agent_id=actor.agent_id,
            version_seen=operation.version,
            lease_seconds=lease_seconds,
            taken_at=operation.claim_taken_at,
            expires_at=operation.claim_expires_at,
            nonce=nonce,
        )
    )


def end_claim(
    operation: Operation, *, end: ClaimEnd, at: datetime | None, slot: Slot = Slot.MACHINE
) -> int:
    """End the live ledger row of one slot, if there is one; returns how many ended (0 or 1)."""
    with connection.cursor() as cursor:
        cursor.execute(_END, {"id": operation.pk, "slot": str(slot), "end": str(end), "at": at})
        return int(cursor.rowcount)
