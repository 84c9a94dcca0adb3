"""Whole payloads and raw evidence, byte for byte as they are kept."""

from uuid import UUID

from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from operations.models import AttemptEnd, Lookup, Operation, Receipt
from operations.roles import Ability
from operations.web.access import page


@require_safe
@page(Ability.VIEW)
def payload(request: HttpRequest, operation_id: UUID) -> HttpResponse:
    """The payload's exact text."""
    found = _first(Operation.objects.filter(pk=operation_id))
    text: bytes = found.payload_text.encode("utf-8", "surrogatepass")
    return download(text, f"payload-{found.pk}.json", "application/json")


@require_safe
@page(Ability.VIEW)
def stored_request(request: HttpRequest, operation_id: UUID) -> HttpResponse:
    """The body that every generation sends, for an operation of the console."""
    found = _first(Operation.objects.filter(pk=operation_id).exclude(request_digest=""))
    return download(bytes(found.request_body or b""), f"request-{found.pk}.bin")


@require_safe
@page(Ability.VIEW)
def receipt_raw(request: HttpRequest, operation_id: UUID, receipt_id: int) -> HttpResponse:
    """What a receipt came as."""
    found = _first(Receipt.objects.filter(pk=receipt_id, operation=operation_id))
    return download(bytes(found.raw), f"receipt-{found.pk}.bin")


@require_safe
@page(Ability.VIEW)
def end_raw(request: HttpRequest, operation_id: UUID, end_id: int) -> HttpResponse:
    """What a sender handed over at the end of its attempt."""
    found = _first(AttemptEnd.objects.filter(pk=end_id, attempt__operation=operation_id))
    return download(bytes(found.raw), f"attempt-end-{found.pk}.bin")


@require_safe
@page(Ability.VIEW)
def lookup_raw(request: HttpRequest, operation_id: UUID, lookup_id: int) -> HttpResponse:
    """What a lookup was answered with."""
    found = _first(Lookup.objects.filter(pk=lookup_id, operation=operation_id))
    return download(bytes(found.raw), f"lookup-{found.pk}.bin")


def _first[Row: Model](rows: QuerySet[Row]) -> Row:
    found = rows.first()
    if found is None:
        raise Http404
    return found


def download(raw: bytes, name: str, content_type: str = "application/octet-stream") -> HttpResponse:
    """A download, never shown inline: the bytes are another system's."""
    response = HttpResponse(raw, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response
