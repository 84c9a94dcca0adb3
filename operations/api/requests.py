"""What else an agent may ask for: a lookup now, and the withdrawal of an unsent request."""

from django.http import HttpRequest, HttpResponse

from operations.actions.cancel_operation import cancel_operation
from operations.actions.request_lookup import request_lookup
from operations.api.answers import answer
from operations.api.bodies import CancellationBody, NoMembers
from operations.api.caller import caller
from operations.api.outlines import OPERATION, PROBLEMS
from operations.api.queries import takes_query
from operations.api.reach import own_operation
from operations.api.representation import operation_members
from operations.api.router import router
from operations.queries.operation_records import record_of

NOTHING = NoMembers()


@router.post(
    "/{operation_id}/lookups", response={202: OPERATION, **PROBLEMS}, summary="Ask for a lookup"
)
@takes_query()
def lookups(request: HttpRequest, operation_id: str, body: NoMembers = NOTHING) -> HttpResponse:
    """A reconcile is due now, or as soon as the send deadline is over."""
    operation = own_operation(request, operation_id)
    asked = request_lookup(operation_id=operation.pk, actor=caller(request).actor)
    return answer(operation_members(record_of(asked)), status=202)


@router.post(
    "/{operation_id}/cancellation",
    response={200: OPERATION, **PROBLEMS},
    summary="Withdraw an unsent request",
)
@takes_query()
def cancellation(request: HttpRequest, operation_id: str, body: CancellationBody) -> HttpResponse:
    """`cancelled`, cause withdrawn; only while no attempt is on record."""
    operation = own_operation(request, operation_id)
    cancelled = cancel_operation(
        operation_id=operation.pk,
        actor=caller(request).actor,
        version=body.version,
        reason=body.reason,
    )
    return answer(operation_members(record_of(cancelled)))
