"""The holder gives its claim back; from then on its token is not current."""

from uuid import UUID

from django.db import transaction

from operations import clock, hints
from operations.actions.apply_event import lock_operation, record_change
from operations.actions.take_slot import end_claim
from operations.actors import Actor
from operations.models import Operation
from operations.protocol.refusals import NotFound, StaleClaim
from operations.protocol.states import ClaimEnd, State


@transaction.atomic
def give_back_claim(*, operation_id: UUID, actor: Actor, token: int) -> Operation:
    """The operation with a free machine slot. Raises NotFound, StaleClaim."""
    operation = lock_operation(operation_id)
    if actor.agent_id is not None and operation.agent_id != actor.agent_id:
        raise NotFound(what="operation", got=str(operation_id))
    if token != operation.claim_token or operation.claim_given_back:
        raise StaleClaim(expected=f"token {operation.claim_token}, held", got=f"token {token}")
    now = clock.now()
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
