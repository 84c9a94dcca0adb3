"""The holder gives its claim back; from then on its token is not current."""

from uuid import UUID

from django.db import transaction

from operations import clock, hints
from operations.actions.apply_event import record_change
from operations.actions.own_claim import lock_own_claim
from operations.actions.take_slot import end_claim
from operations.actors import Actor
from operations.models import Operation
from operations.protocol.refusals import Refusal
from operations.protocol.states import ClaimEnd, State


def give_back_claim(*, operation_id: UUID, actor: Actor, token: int) -> Operation:
    """The operation with a free machine slot. Raises NotFound, StaleClaim."""
    with transaction.atomic():
        freed = _give_back(operation_id, actor, token)
    if isinstance(freed, Refusal):
        raise freed
    return freed


def _give_back(operation_id: UUID, actor: Actor, token: int) -> Operation | Refusal:
    claim = lock_own_claim(operation_id=operation_id, actor=actor, token=token)
    if isinstance(claim, Refusal):
        return claim
    operation, now = claim.operation, clock.now()
    end_claim(operation, end=ClaimEnd.GIVEN_BACK, at=now)
    record_change(
        operation,
        "give_back_claim",
        actor=actor,
        at=now,
        changes={"claim_given_back": True},
        bumps_version=False,
        token=token,
    )
    if operation.state == State.SENT_UNKNOWN:
        hints.reconcile_soon(operation.pk)
    return operation
