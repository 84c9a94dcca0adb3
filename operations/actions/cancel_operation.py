"""Whoever asked withdraws a request that was never sent."""

from uuid import UUID

from django.db import transaction

from operations import clock
from operations.actions.apply_event import apply_event, lock_operation, require_version
from operations.actions.approval_expiry import expire_overdue_request
from operations.actions.claim_operation import is_held
from operations.actions.settle import close_what_settling_answers
from operations.actions.take_slot import end_claim
from operations.actors import Actor
from operations.models import Operation
from operations.protocol.refusals import AlreadyClaimed, CannotCancel, NotFound
from operations.protocol.states import ApprovalStatus, Cause, ClaimEnd, State
from operations.protocol.transitions import Event


@transaction.atomic
def cancel_operation(*, operation_id: UUID, actor: Actor, version: int, reason: str) -> Operation:
    """`cancelled`, cause withdrawn; only while there is no attempt on record.

    Raises NotFound, StaleVersion, CannotCancel, AlreadyClaimed while another holds it.
    """
    operation = lock_operation(operation_id)
    if actor.agent_id is not None and operation.agent_id != actor.agent_id:
        raise NotFound(what="operation", got=str(operation_id))
    require_version(operation, version)
    expire_overdue_request(operation)
    attempt = operation.attempts.order_by("generation").first()
    if attempt:
        raise CannotCancel(got=f"an attempt of generation {attempt.generation}")
    if operation.state not in (State.READY, State.AWAITING_APPROVAL):
        raise CannotCancel(got=f"one that is {operation.state}")
    now = clock.now()
    is_own_claim = actor.agent_id is not None
    if is_held(operation, now) and not is_own_claim:
        raise AlreadyClaimed(
            holder=operation.claim_holder,
            purpose=operation.claim_purpose,
            until=operation.claim_expires_at,
        )
    end_claim(operation, end=ClaimEnd.VOIDED, at=now)
    operation.approvals.filter(status=ApprovalStatus.OPEN).update(
        status=ApprovalStatus.WITHDRAWN, decided_at=now
    )
    apply_event(
        operation,
        Event.CANCEL,
        actor=actor,
        at=now,
        changes={
            "cause": str(Cause.WITHDRAWN),
            "claim_given_back": True,
            "next_try_at": None,
        },
        reason=reason,
    )
    close_what_settling_answers(operation, actor=actor, at=now)
    return operation
