"""What a caller may reach: its agent's own operations, within its token's scope."""

from uuid import UUID

from django.http import HttpRequest

from operations.actions.refuse_access import refuse_access
from operations.api.caller import Caller, caller
from operations.api.values import LARGEST
from operations.models import Operation
from operations.protocol.refusals import NotFound
from operations.protocol.words import shortened
from operations.registry import DRILL, configuration


def own_operation(request: HttpRequest, operation_id: str) -> Operation:
    """The caller's operation with this id. Raises NotFound, also for another's; NotPermitted."""
    who = caller(request)
    pk = _uuid(operation_id)
    found = (
        Operation.objects.select_related("review_holder")
        .filter(pk=pk, agent_id=who.agent_id)
        .first()
        if pk
        else None
    )
    if found is None:
        raise NotFound(what="operation", got=shortened(operation_id, limit=80))
    require_scope(who, environment=found.environment, kind=found.kind, receiver=found.receiver)
    return found


def require_scope(who: Caller, *, environment: str, kind: str = "", receiver: str = "") -> None:
    """Raises NotPermitted, on record, when the token does not reach so far.

    Into the drills' environment only a token that names it reaches.
    """
    if environment == DRILL and DRILL not in who.token.environments:
        named = who.token.environments or configuration().environments
        raise refuse_access(who.actor, expected=f"environment {' or '.join(named)}", got=DRILL)
    for what, word, allowed in (
        ("environment", environment, who.token.environments),
        ("kind", kind, who.token.kinds),
        ("receiver", receiver, who.token.receivers),
    ):
        if word and allowed and word not in allowed:
            raise refuse_access(who.actor, expected=f"{what} {' or '.join(allowed)}", got=word)


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def token_of_path(text: str) -> int:
    """A fencing token that stands in the path. Raises NotFound for what can be none.

    0 is nobody's, and refused as such (rule 4).
    """
    return number_of_path(text, what="claim", least=0)


def number_of_path(text: str, *, what: str, least: int = 1) -> int:
    """A whole number that stands in the path. Raises NotFound for anything else."""
    if len(text) <= 19 and text.isascii() and text.isdigit() and least <= int(text) <= LARGEST:
        return int(text)
    raise NotFound(what=what, got=shortened(text, limit=80))
