"""The claim that an actor took itself, under its token; another's token opens nothing (rule 4)."""

from datetime import datetime
from uuid import UUID

from operations import clock
from operations.actions.apply_event import lock_operation, record_change
from operations.actors import Actor
from operations.models import Claim, Operation
from operations.protocol.refusals import NotFound, StaleClaim
from operations.protocol.states import Slot


def lock_own_claim(*, operation_id: UUID, actor: Actor, token: int) -> Claim | StaleClaim:
    """The current claim, and its operation with the row locked until the transaction ends.

    A refusal for a token that is not current, or was issued to somebody else or for something
    else; that is audited, so the caller commits before it raises. Raises NotFound.
    """
    operation = lock_operation(operation_id)
    if actor.agent_id is not None and operation.agent_id != actor.agent_id:
        raise NotFound(what="operation", got=str(operation_id))
    claim = Claim.objects.filter(operation=operation, token=token, slot=Slot.MACHINE).first()
    if claim is None or claim.agent_id != actor.agent_id:
        return refuse_foreign_token(operation, actor=actor, at=clock.now(), token=token)
    if token != operation.claim_token or operation.claim_given_back:
        return StaleClaim(expected="the current token of your own claim", got=f"token {token}")
    claim.operation = operation
    return claim


def refuse_foreign_token(
    operation: Operation, *, actor: Actor, at: datetime, token: int | None
) -> StaleClaim:
    """The refusal of a missing or foreign token, once the entry that tells of it is written."""
    record_change(
        operation,
        "foreign_token",
        actor=actor,
        at=at,
        bumps_version=False,
        detail={"token": token},
    )
    got = "none" if token is None else f"token {token}"
    return StaleClaim(expected="a token of your own claim", got=got)
