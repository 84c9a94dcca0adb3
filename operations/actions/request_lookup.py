"""Someone asks for a lookup now: it becomes due, and sends nothing."""

from uuid import UUID

from operations import clock, hints
from operations.actions.apply_event import lock_operation, record_change
from operations.actions.approval_expiry import expire_overdue_request
from operations.actions.people import person_of
from operations.actions.refused_acts import a_persons_act
from operations.actors import Actor, ActorKind
from operations.models import Operation
from operations.protocol.refusals import NoLookup, NotClaimable, NotFound
from operations.protocol.states import State
from operations.registry import profile_of
from operations.roles import Ability, require

ACT = "request_lookup"


def request_lookup(*, operation_id: UUID, actor: Actor) -> Operation:
    """A reconcile is due now, or as soon as the send deadline is over (rule 9).

    It decides nothing, so it needs no version and takes no case. Raises NotFound, NotPermitted
    (audited), NoLookup, NotClaimable when nothing was sent or all is settled.
    """
    with a_persons_act(ACT, actor=actor, subject=operation_id):
        if actor.kind == ActorKind.PERSON:
            require(person_of(actor), Ability.SETTLE)
        return _request(operation_id, actor)


def _request(operation_id: UUID, actor: Actor) -> Operation:
    operation = lock_operation(operation_id)
    if actor.agent_id is not None and operation.agent_id != actor.agent_id:
        raise NotFound(what="operation", got=str(operation_id))
    if not profile_of(operation).has_lookup:
        raise NoLookup(receiver=operation.receiver)
    expire_overdue_request(operation)
    if operation.state not in (State.SENT_UNKNOWN, State.CONFIRMED):
        raise NotClaimable(
            expected="state sent_unknown or confirmed", got=f"state {operation.state}"
        )
    now = clock.now()
    record_change(
        operation,
        ACT,
        actor=actor,
        at=now,
        changes={"next_try_at": now},
        bumps_version=False,
    )
    hints.reconcile_soon(operation.pk)
    return operation
