"""What a sender reports: a receipt, a refusal, or that its attempt ended without either."""

from typing import Any

from django.http import HttpRequest, HttpResponse

from operations.actions.end_attempt import end_attempt
from operations.actions.record_receipt import Recorded, record_receipt
from operations.actions.record_refusal import record_refusal
from operations.api.answers import answer
from operations.api.bodies import EndBody, ReceiptBody, RefusalBody
from operations.api.body import PAYLOAD_BYTES
from operations.api.caller import caller
from operations.api.outlines import PROBLEMS, REPORT, SETTLEMENT
from operations.api.queries import takes_query
from operations.api.reach import number_of_path, own_operation
from operations.api.representation import operation_members
from operations.api.router import router
from operations.api.values import refuse_large
from operations.models import Operation
from operations.protocol.payloads import dumps
from operations.protocol.receipts import InvalidReceipt, Receipt, parse_receipt
from operations.protocol.refusals import InvalidField
from operations.protocol.states import Channel
from operations.queries.operation_records import record_of


@router.post(
    "/{operation_id}/receipts", response={200: REPORT, **PROBLEMS}, summary="Report a receipt"
)
@takes_query()
def receipts(request: HttpRequest, operation_id: str, body: ReceiptBody) -> HttpResponse:
    """Kept as evidence and judged. A mismatch, or an older token, is kept and refused."""
    operation = own_operation(request, operation_id)
    refuse_large("receipt", body.receipt, PAYLOAD_BYTES)
    said = _parsed(body.receipt)
    recorded = record_receipt(
        operation_id=operation.pk,
        value=said,
        channel=Channel.RESPONSE,
        raw=(dumps(body.receipt) if body.raw is None else body.raw).encode(),
        actor=caller(request).actor,
        token=body.token,
    )
    return _report_answer(request, recorded)


@router.post(
    "/{operation_id}/refusals", response={200: REPORT, **PROBLEMS}, summary="Report a refusal"
)
@takes_query()
def refusals(request: HttpRequest, operation_id: str, body: RefusalBody) -> HttpResponse:
    """Judged against the receiver's definite refusals; `duplicate` never is one."""
    operation = own_operation(request, operation_id)
    recorded = record_refusal(
        operation_id=operation.pk,
        actor=caller(request).actor,
        token=body.token,
        status=body.status,
        code=body.code or "",
        raw=body.raw.encode(),
    )
    return _report_answer(request, recorded)


@router.post(
    "/{operation_id}/attempts/{generation}/end",
    response={200: SETTLEMENT, **PROBLEMS},
    summary="Say that an attempt is over",
)
@takes_query()
def end(request: HttpRequest, operation_id: str, generation: str, body: EndBody) -> HttpResponse:
    """Closes the attempt and ends the claim; the state stays as it is."""
    operation = own_operation(request, operation_id)
    ended = end_attempt(
        operation_id=operation.pk,
        actor=caller(request).actor,
        token=body.token,
        generation=number_of_path(generation, what="attempt"),
        outcome=body.outcome,
        detail=body.detail,
        raw=(body.raw or "").encode(),
    )
    return answer(_settlement(request, ended))


def _parsed(value: Any) -> Receipt:
    try:
        return parse_receipt(value)
    except InvalidReceipt as flaw:
        raise InvalidField(
            field=f"receipt{flaw.pointer}", expected=flaw.expected, got=flaw.got
        ) from None


def _report_answer(request: HttpRequest, recorded: Recorded) -> HttpResponse:
    if recorded.refusal is not None:
        raise recorded.refusal
    members = _settlement(request, recorded.operation)
    return answer({"verdict": recorded.verdict, **members})


def _settlement(request: HttpRequest, operation: Operation) -> dict[str, Any]:
    now = own_operation(request, str(operation.pk))
    members = operation_members(record_of(now))
    return {"state": members["state"], "operation": members}
