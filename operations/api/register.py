"""Registering an operation, which observes when it is there already (rule 12)."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse

from operations import registry
from operations.actions.register_operation import register_operation
from operations.actions.registration import Registration
from operations.api.answers import answer
from operations.api.bodies import RegistrationBody
from operations.api.body import PAYLOAD_BYTES
from operations.api.caller import caller
from operations.api.outlines import OPERATION, PROBLEMS
from operations.api.queries import takes_query
from operations.api.reach import require_scope
from operations.api.representation import operation_members
from operations.api.router import router
from operations.api.values import refuse_large
from operations.protocol.refusals import InvalidKey
from operations.protocol.states import Executor
from operations.queries.operation_records import record_of

CONTEXT_BYTES = 65_536


@router.post("", response={200: OPERATION, 201: OPERATION, **PROBLEMS}, summary="Register")
@takes_query()
def register(request: HttpRequest, body: RegistrationBody) -> HttpResponse:
    """201 for a new operation, 200 for the same again; any difference is a conflict."""
    who = caller(request)
    if not body.key.isascii():
        raise InvalidKey(got=ascii(body.key[:200]))
    if registry.knows(environment=body.environment, kind=body.kind, receiver=body.receiver):
        require_scope(who, environment=body.environment, kind=body.kind, receiver=body.receiver)
    refuse_large("payload", body.payload, PAYLOAD_BYTES)
    refuse_large("context", body.context, CONTEXT_BYTES)
    registered = register_operation(actor=who.actor, registration=_registration(body))
    return answer(
        operation_members(record_of(registered.operation)),
        status=201 if registered.is_new else 200,
    )


def _registration(body: RegistrationBody) -> Registration:
    return Registration(
        key=body.key,
        kind=body.kind,
        receiver=body.receiver,
        environment=body.environment,
        payload=body.payload,
        executor=Executor(body.executor or Executor.AGENT),
        goal=body.goal or "",
        reference=body.reference or "",
        context=body.context,
        supersedes=_id(body.supersedes),
        compensates=_id(body.compensates),
    )


def _id(given: str | None) -> str:
    """In the one spelling of ids, when it is one; the action refuses the rest."""
    try:
        return str(UUID(given)) if given else ""
    except ValueError:
        return given or ""
