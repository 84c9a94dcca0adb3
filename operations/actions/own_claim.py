"""The claim that an actor took itself, under its token; another's token opens nothing (rule 4)."""

from uuid import UUID

from operations.actions.apply_event import lock_operation
from operations.actors import Actor
from operations.models import Claim
from operations.protocol.refusals import NotFound, StaleClaim
from operations.protocol.states import Slot


def lock_own_claim(*, operation_id: UUID, actor: Actor, token: int) -> Claim:
    """The current claim, and its operation with the row locked until the transaction ends.

    Raises NotFound; StaleClaim for a token that is not current or was issued to somebody else.
    """
    operation = lock_operation(operation_id)
    if actor.agent_id is not None and operation.agent_id != actor.agent_id:
        raise NotFound(what="operation", got=str(operation_id))
    claim = Claim.objects.filter(operation=operation, token=token, slot=Slot.MACHINE).first()
    is_own = claim is not None and claim.agent_id == actor.agent_id
    if claim is None or not is_own or token != operation.claim_token or operation.claim_given_back:
        raise StaleClaim(expected="the current token of your own claim", got=f"token {token}")
    claim.operation = operation
    return claim
