"""An agent claims one of its own operations, to dispatch it."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from operations import clock, rows
from operations.actions.apply_event import record_change
from operations.actions.take_slot import enter_claim, take_slot
from operations.actors import Actor
from operations.models import Claim, Operation
from operations.protocol.refusals import (
    AlreadyClaimed,
    InvalidField,
    NotClaimable,
    NotFound,
    Refusal,
    StaleVersion,
)
from operations.protocol.states import Executor, Purpose, State

LEASE_SECONDS = range(5, 301)


@transaction.atomic
def claim_operation(
    *,
    operation_id: UUID,
    actor: Actor,
    version: int,
    holder: str,
    lease_seconds: int,
    nonce: str = "",
) -> Claim:
    """The claim, its fencing token and its lease of 5 to 300 s (rule 7).

    The same `nonce` while the claim lives returns that claim, so a lost answer costs nothing.
    Raises NotFound, NotClaimable, AlreadyClaimed, StaleVersion (in that order), InvalidField.
    """
    if lease_seconds not in LEASE_SECONDS:
        raise InvalidField(field="lease_seconds", expected="5 to 300", got=lease_seconds)
    taken = take_slot(
        operation_id=operation_id,
        purpose=Purpose.DISPATCH,
        holder=holder,
        lease_seconds=lease_seconds,
        version=version,
        agent_id=actor.agent_id,
    )
    operation = _own_operation(operation_id, actor)
    if not taken:
        return _same_claim(operation, actor=actor, nonce=nonce) or _refuse(operation, version)
    claim = enter_claim(operation, actor=actor, lease_seconds=lease_seconds, nonce=nonce)
    record_change(
        operation,
        "claim",
        actor=actor,
        at=claim.taken_at,
        bumps_version=False,
        token=claim.token,
        detail={"holder": holder, "purpose": claim.purpose, "lease_seconds": lease_seconds},
    )
    return claim


def _own_operation(operation_id: UUID, actor: Actor) -> Operation:
    """The operation, when the agent owns it; another agent's does not exist for it."""
    found = rows.read(Operation, "id = %s AND agent_id = %s", [operation_id, actor.agent_id])
    if found is None:
        raise NotFound(what="operation", got=str(operation_id))
    return found


def _same_claim(operation: Operation, *, actor: Actor, nonce: str) -> Claim | None:
    if not nonce or actor.agent_id is None or not is_held(operation, clock.now()):
        return None
    return Claim.objects.filter(
        operation=operation,
        token=operation.claim_token or 0,
        agent_id=actor.agent_id,
        nonce=nonce,
        ended_at=None,
    ).first()


def is_held(operation: Operation, now: datetime) -> bool:
    """Whether somebody holds the machine slot at `now`."""
    return bool(
        operation.claim_token
        and not operation.claim_given_back
        and operation.claim_expires_at
        and operation.claim_expires_at > now
    )


def _refuse(operation: Operation, version: int) -> Claim:
    raise _reason(operation, version)


def _reason(operation: Operation, version: int) -> Refusal:
    if operation.executor != Executor.AGENT:
        return NotClaimable(expected="executor agent", got=f"executor {operation.executor}")
    if operation.state != State.READY:
        return NotClaimable(expected="state ready", got=f"state {operation.state}")
    open_review = operation.reviews.filter(closed_at=None).exclude(question="stalled").first()
    if open_review:
        return NotClaimable(expected="no open review", got=f"review {open_review.question}")
    if is_held(operation, clock.now()):
        return AlreadyClaimed(
            holder=operation.claim_holder,
            purpose=operation.claim_purpose,
            until=operation.claim_expires_at,
        )
    return StaleVersion(expected=operation.version, got=version)
