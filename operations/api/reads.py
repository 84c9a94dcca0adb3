"""Reading: one operation (waiting for its next version), a page of them, and the handoff."""

from typing import Annotated

from django.http import HttpRequest, HttpResponse

from operations import registry
from operations.api.answers import answer
from operations.api.caller import Caller, caller
from operations.api.cursor import cursor_of, place_of
from operations.api.handoff import handoff_members
from operations.api.outlines import DETAIL, PAGE, PROBLEMS, Handoff
from operations.api.queries import takes_query
from operations.api.reach import own_operation, require_scope
from operations.api.representation import (
    attempt_members,
    operation_members,
    receipt_members,
)
from operations.api.router import router
from operations.api.values import LARGEST, one_of, query_number
from operations.api.waiting import waiting
from operations.protocol.refusals import InvalidKey
from operations.protocol.states import State
from operations.queries.operation_list import OperationFilter, operations_page
from operations.queries.operation_records import history_of, record_of, records_of

WaitSeconds = Annotated[int, query_number(0, 30)]
SeenVersion = Annotated[int, query_number(0, LARGEST)]
Limit = Annotated[int, query_number(1, 200)]
StateWord = Annotated[str, one_of(State)]


@router.get("", response={200: PAGE, **PROBLEMS}, summary="List one's own operations")
@takes_query("environment", "key", "state", "cursor", "limit")
def index(
    request: HttpRequest,
    environment: str | None = None,
    key: str | None = None,
    state: StateWord | None = None,
    cursor: str | None = None,
    limit: Limit = 50,
) -> HttpResponse:
    """By (created_at, id), the oldest first; `state` is the state as it reads now."""
    wanted = _filter(caller(request), environment=environment, key=key, state=state)
    after = place_of(cursor, wanted) if cursor else None
    page, place = operations_page(wanted, after=after, limit=limit)
    return answer(
        {
            "items": [operation_members(record) for record in records_of(page)],
            "next_cursor": cursor_of(place, wanted) if place else None,
        }
    )


@router.get("/{operation_id}", response={200: DETAIL, **PROBLEMS}, summary="Observe")
@takes_query("wait", "version")
def detail(
    request: HttpRequest,
    operation_id: str,
    wait: WaitSeconds = 0,
    version: SeenVersion | None = None,
) -> HttpResponse:
    """With `wait` and `version`, answers as soon as the version is another, or the wait is over."""
    operation = own_operation(request, operation_id)
    if wait and version in (None, operation.version):
        waiting.until_version_changes(operation.pk, operation.version, seconds=wait)
        operation = own_operation(request, operation_id)
    record, history = record_of(operation), history_of(operation)
    return answer(
        {
            **operation_members(record),
            "idempotency_key": operation.idempotency_key,
            "goal": operation.goal,
            "attempts": [attempt_members(attempt) for attempt in history.attempts],
            "receipts": [receipt_members(receipt) for receipt in history.receipts],
        },
        texts={"payload": operation.payload_text, "context": operation.context or "null"},
    )


@router.get("/{operation_id}/handoff", response={200: Handoff, **PROBLEMS}, summary="Hand over")
@takes_query()
def handoff(request: HttpRequest, operation_id: str) -> HttpResponse:
    """Goal, exact state, evidence, known failures and the allowed next action."""
    operation = own_operation(request, operation_id)
    return answer(
        handoff_members(record_of(operation), history_of(operation, lookups=20)),
        texts={"payload": operation.payload_text, "context": operation.context or "null"},
    )


def _filter(
    who: Caller, *, environment: str | None, key: str | None, state: str | None
) -> OperationFilter:
    environments = tuple(who.token.environments)
    if environment is not None:
        registry.environment(environment)
        require_scope(who, environment=environment)
        environments = (environment,)
    if key is not None and not (key.isascii() and key.isprintable() and 1 <= len(key) <= 200):
        raise InvalidKey(got=ascii(key[:200]))
    return OperationFilter(
        agent_id=who.agent_id,
        environments=environments,
        kinds=tuple(who.token.kinds),
        receivers=tuple(who.token.receivers),
        key=key or "",
        state=State(state) if state else None,
    )
