"""One receipt: what it says, what it was found to be worth, and what to do about it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from operations import clock
from operations.models import Operation, Receipt
from operations.protocol.payloads import parse_json
from operations.roles import Ability
from operations.web.access import page
from operations.web.detail.documents import Raw, raw_of
from operations.web.detail.receipts import ReceiptCard, receipt_card, source_of
from operations.web.downloads import download
from operations.web.voices import voice_of
from reconciliation.protocol.near_keys import Nearness
from reconciliation.queries.near_operations import NEIGHBOURS, NEWEST, near_operations
from reconciliation.web.receipt_advice import advice_of
from reconciliation.web.receipts import is_unexplained

_NEARNESS = {
    Nearness.SPELLING: "the same key in another spelling",
    Nearness.ONE_CHARACTER: "one character of the key differs",
    Nearness.CUT: "one key is part of the other",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NearRow:
    """One operation that may be meant, and all that they have in common, in words."""

    operation: Operation
    why: str


@require_safe
@page(Ability.VIEW)
def receipt(request: HttpRequest, receipt_id: int) -> HttpResponse:
    """What it says beside what was to be done; for one of no operation those it may mean."""
    row = _receipt_or_404(receipt_id)
    context = {
        "as_of": clock.now(),
        "here": request.get_full_path(),
        "receipt": row,
        "voice": voice_of(row),
        "source": source_of(row),
        "is_unexplained": is_unexplained(row),
        "card": _card(row),
        "advice": advice_of(row),
        "near": _near(row) if row.operation is None else [],
        "searched": {"newest": NEWEST, "neighbours": NEIGHBOURS},
        "payload": _payload(row),
        "raw": _raw(row),
    }
    return render(request, "reconciliation/receipt.html", context)


@require_safe
@page(Ability.VIEW)
def raw(request: HttpRequest, receipt_id: int) -> HttpResponse:
    """What a receipt came as, byte for byte, whether it has an operation or not."""
    row = _receipt_or_404(receipt_id)
    return download(bytes(row.raw), f"receipt-{row.pk}.bin")


def _receipt_or_404(receipt_id: int) -> Receipt:
    read = ("operation", "explanation", "reported_by_agent", "entered_by")
    row = Receipt.objects.select_related(*read).filter(pk=receipt_id).first()
    if row is None:
        raise Http404(f"No receipt {receipt_id}.")
    return row


def _card(row: Receipt) -> ReceiptCard | None:
    if row.operation is None:
        return None
    return receipt_card(row, row.operation, parse_json(row.operation.payload_text))


def _near(row: Receipt) -> Sequence[NearRow]:
    found = []
    for near in near_operations(row):
        why = [
            "its effect id is on record there" if near.has_effect else "",
            "the same payload" if near.has_payload else "",
            _NEARNESS[near.nearness] if near.nearness else "",
        ]
        found.append(NearRow(operation=near.operation, why="; ".join(w for w in why if w)))
    return found


def _payload(row: Receipt) -> Raw | None:
    """The payload it carries, where there is none to compare it with."""
    if row.operation is not None or not row.payload_text:
        return None
    text = row.payload_text.encode("utf-8", "backslashreplace")
    return raw_of("note", "The payload it carries", text, "")


def _raw(row: Receipt) -> Raw:
    url = reverse("reconciliation:receipt_raw", args=[row.pk])
    return raw_of("receipt", f"{row.channel} receipt, as it came", row.raw, url)
