"""Someone asks for a lookup now: it becomes due, and sends nothing."""

from uuid import UUID

from django.db import transaction

from operations import clock, hints
from operations.actions.apply_event import lock_operation, record_change
from operations.actors import Actor
from operations.models import Operation
from operations.protocol.refusals import NoLookup, NotClaimable, NotFound
from operations.protocol.states import State
from operations.registry import receiver


@transaction.atomic
def request_lookup(*, operation_id: UUID, actor: Actor) -> Operation:
    """A reconcile is due now, or as soon as the send deadline is over (rule 9).

    Raises NotFound, NoLookup, NotClaimable when nothing was sent or all is settled.
    """
    operation = lock_operation(operation_id)
    if actor.agent_id is not None and operation.agent_id != actor.agent_id:
        raise NotFound(what="operation", got=str(operation_id))
    if not receiver(operation.receiver, operation.environment).profile.has_lookup:
        raise NoLookup(receiver=operation.receiver)
    if operation.state not in (State.SENT_UNKNOWN, State.CONFIRMED):
        raise NotClaimable(
            expected="state sent_unknown or confirmed", got=f"state {operation.state}"
        )
    now = clock.now()
    record_change(
        operation,
        "request_lookup",
        actor=actor,
        at=now,
        changes={"next_try_at": now},
        bumps_version=False,
    )
    hints.reconcile_soon(operation.pk)
    return operation
