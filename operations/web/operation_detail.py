"""The page of one operation."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from operations.protocol.refusals import NotFound
from operations.queries.dossier import Dossier, dossier_of
from operations.queries.row import AsRead
from operations.roles import Ability
from operations.web.access import page
from operations.web.detail.case import case_of
from operations.web.detail.documents import payload_of, raws_of
from operations.web.detail.evidence import attempt_rows, late_writes, lookups_of
from operations.web.detail.rail import clocks_of, figures_of, links_of, related_to
from operations.web.detail.receipts import receipt_cards
from operations.web.detail.records import approval_rows, chain_of, entry_rows
from operations.web.detail.timeline import timeline_of
from operations.web.detail.window import window_of
from operations.web.rendering import render_region

TEMPLATE = "operations/operation_detail.html"


@require_safe
@page(Ability.VIEW)
def operation_detail(request: HttpRequest, operation_id: UUID) -> HttpResponse:
    """Everything on record about one operation, and what this person may do."""
    context = page_context(request, operation_id)
    return render_region(request, TEMPLATE, "operation", context)


def page_context(request: HttpRequest, operation_id: UUID) -> dict[str, Any]:
    """What the page shows. Raises Http404."""
    try:
        dossier = dossier_of(operation_id, viewer=request.user.get_username())
    except NotFound as refusal:
        raise Http404(refusal.detail) from refusal
    return {
        **evidence_context(dossier),
        "panels": [],
        "closed_panels": [],
        "proposals": [],
        "outcome": "",
        "refusal": None,
        "note_panel": None,
    }


def evidence_context(dossier: Dossier) -> Mapping[str, Any]:
    """All that is on record, which is the same for everybody."""
    operation = dossier.operation
    shown = AsRead(operation, dossier.facts.state, str(dossier.facts.cause or ""))
    return {
        "as_of": dossier.now,
        "operation": shown,
        "case": case_of(dossier),
        "window": window_of(dossier),
        "reviews": dossier.reviews,
        "receipts": receipt_cards(dossier),
        "history": timeline_of(dossier),
        "attempts": attempt_rows(dossier),
        "claims": dossier.claims,
        "late_writes": late_writes(dossier),
        "lookups": lookups_of(dossier),
        "approvals": approval_rows(dossier),
        "payload": payload_of(operation),
        "entries": entry_rows(dossier),
        "chain": chain_of(dossier),
        "raws": raws_of(dossier),
        "figures": figures_of(dossier),
        "clocks": clocks_of(dossier),
        "related": related_to(dossier),
        "notes": dossier.notes,
        "links": links_of(dossier),
    }
