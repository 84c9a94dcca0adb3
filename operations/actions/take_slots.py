"""Taking the machine slots of many that are due for a lookup, as `take_slot` takes one (rule 7)."""

from collections.abc import Sequence
from datetime import datetime
from itertools import zip_longest
from typing import Any
from uuid import UUID

from django.db import connection

from operations import rows
from operations.actors import Actor
from operations.audit import Entry, append_entries
from operations.models import Claim, Operation
from operations.protocol.states import Purpose, Slot, State

type _Due = tuple[UUID, datetime]

_IS_FREE = "(claim_token IS NULL OR claim_given_back OR claim_expires_at <= clock_timestamp())"
# No lookup is taken as evidence while the sender may still act (rule 9).
_SENDER_MAY_ACT = """EXISTS (
            SELECT 1 FROM operations_attempt a
            WHERE a.operation_id = operations_operation.id
                AND a.send_deadline_at > clock_timestamp())"""

# The transaction's start is as good a "now" to find rows by, and an index can be read by it.
_FIND = f"""
    SELECT id, next_try_at FROM operations_operation
    WHERE environment = %(environment)s AND receiver = %(receiver)s AND state = %(state)s
        AND next_try_at <= now() AND {_IS_FREE} AND NOT {_SENDER_MAY_ACT}
    ORDER BY next_try_at LIMIT %(limit)s
    FOR NO KEY UPDATE SKIP LOCKED
"""  # noqa: S608  our own words

# The rows are locked; that they may be taken is asked once more, where it is done.
_TAKE = f"""
    UPDATE operations_operation
    SET claim_token = nextval('operations_fencing_token'),
        claim_holder = %(holder)s,
        claim_purpose = 'reconcile',
        claim_taken_at = clock_timestamp(),
        claim_expires_at = clock_timestamp() + make_interval(secs => %(lease_seconds)s),
        claim_given_back = false
    WHERE id = ANY(%(ids)s) AND state IN ('sent_unknown', 'confirmed')
        AND next_try_at <= clock_timestamp() AND {_IS_FREE} AND NOT {_SENDER_MAY_ACT}
"""  # noqa: S608
_END_REPLACED = """
    UPDATE operations_claim c SET ended_at = o.claim_taken_at, "end" = %(end)s
    FROM operations_operation o
    WHERE o.id = ANY(%(ids)s) AND c.operation_id = o.id AND c.slot = %(slot)s
        AND c.ended_at IS NULL
"""


def lock_due(*, environment: str, receiver: str, limit: int) -> list[UUID]:
    """Lock at most `limit` of a receiver's operations whose lookup is due, and that nobody holds.

    The longest due first; of each four one is a confirmation that only an agent reported, where
    there are any, so that neither kind waits for ever however few of them there is room for. Those
    that another transaction has locked are passed over, so nobody waits.
    """
    told = _find(environment, receiver, State.CONFIRMED, max(limit // 4, 1))
    unknown = _find(environment, receiver, State.SENT_UNKNOWN, limit - len(told))
    is_told_first = bool(told and unknown) and told[0][1] <= unknown[0][1]
    threes = [unknown[at : at + 3] for at in range(0, len(unknown), 3)]
    order: list[_Due] = []
    for three, one in zip_longest(threes, told):
        both = ([one] if one else [], three or [])
        order += [each for some in (both if is_told_first else reversed(both)) for each in some]
    return [operation_id for operation_id, _ in order]


def take_slots(
    *, ids: Sequence[UUID], holder: str, lease_seconds: int, actor: Actor
) -> list[Operation]:
    """Those of them that are taken now for a lookup, each under a token of its own.

    With a ledger row and an entry for each, in the caller's transaction, which has locked them.
    """
    given = {"ids": list(ids), "holder": holder, "lease_seconds": lease_seconds}
    taken = rows.changed(Operation, _TAKE, given)
    ended = [each.pk for each in taken]
    with connection.cursor() as cursor:
        cursor.execute(_END_REPLACED, {"ids": ended, "slot": "machine", "end": "expired"})
    rows.insert_all([_ledger_row(each, actor, lease_seconds) for each in taken])
    append_entries([_entry(each, actor, holder, lease_seconds) for each in taken])
    return taken


def _find(environment: str, receiver: str, state: State, limit: int) -> "list[_Due]":
    values: dict[str, Any] = {
        "environment": environment,
        "receiver": receiver,
        "state": str(state),
        "limit": limit,
    }
    with connection.cursor() as cursor:
        cursor.execute(_FIND, values)
        return list(cursor.fetchall())


def _ledger_row(operation: Operation, actor: Actor, lease_seconds: int) -> Claim:
    assert operation.claim_token is not None
    assert operation.claim_taken_at is not None
    assert operation.claim_expires_at is not None
    return Claim(
        operation=operation,
        slot=Slot.MACHINE,
        purpose=Purpose.RECONCILE,
        token=operation.claim_token,
        holder=operation.claim_holder,
        agent_id=actor.agent_id,
        version_seen=operation.version,
        lease_seconds=lease_seconds,
        taken_at=operation.claim_taken_at,
        expires_at=operation.claim_expires_at,
    )


def _entry(operation: Operation, actor: Actor, holder: str, lease_seconds: int) -> Entry:
    assert operation.claim_taken_at is not None
    return Entry(
        about=operation,
        event="claim",
        actor=actor,
        at=operation.claim_taken_at,
        before=operation.state,
        after=operation.state,
        token=operation.claim_token,
        detail={
            "holder": holder,
            "purpose": str(Purpose.RECONCILE),
            "lease_seconds": lease_seconds,
        },
    )
