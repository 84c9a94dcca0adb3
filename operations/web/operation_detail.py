"""The page of one operation: what is on record, and what this person may do."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe
from django_htmx.http import trigger_client_event

from operations.protocol.refusals import ChoiceClosed, NotFound
from operations.protocol.states import ChoiceCode
from operations.queries.dossier import Dossier, dossier_of
from operations.queries.head import Head, head_of
from operations.queries.row import AsRead
from operations.roles import Ability
from operations.web.access import abilities_of, page, user_of
from operations.web.detail.asking import asking_of
from operations.web.detail.case import case_of
from operations.web.detail.documents import payload_of, raws_of
from operations.web.detail.evidence import attempt_rows, late_writes, lookups_of
from operations.web.detail.rail import clocks_of, effects_url, figures_of, links_of
from operations.web.detail.receipts import receipt_cards
from operations.web.detail.records import approval_rows, chain_of, entry_rows
from operations.web.detail.related import relations_of
from operations.web.detail.timeline import timeline_of
from operations.web.detail.window import window_of
from operations.web.panels import Submitted, note_panel, panels_of
from operations.web.places import Place
from operations.web.proposals import proposal_cards
from operations.web.rendering import render_region

TEMPLATE = "operations/operation_detail.html"
# What the status tells the page when something came in.
CHANGED = "operation-changed"


@require_safe
@page(Ability.VIEW)
def operation_detail(request: HttpRequest, operation_id: UUID) -> HttpResponse:
    """Everything on record about one operation, and what this person may do."""
    return show_operation(request, operation_id)


@require_safe
@page(Ability.VIEW)
def operation_status(request: HttpRequest, operation_id: UUID) -> HttpResponse:
    """The head of the page alone, read every few seconds; the rest follows when it must.

    `seen` is the mark of what the page shows; that it moved is said, and told to the page.
    """
    head = _or_404(head_of, request, operation_id)
    seen = request.GET.get("seen", "")
    is_newer = seen != head.mark
    context = {**head_context(head), "seen": seen, "is_newer": is_newer}
    response = render(request, f"{TEMPLATE}#status", context)
    return trigger_client_event(response, CHANGED) if is_newer else response


def show_operation(
    request: HttpRequest,
    operation_id: UUID,
    *,
    submitted: Submitted | None = None,
    outcome: str = "",
    status: int = 200,
) -> HttpResponse:
    """The page as it stands now, with a form that came back, or with what was done."""
    dossier = dossier_or_404(request, operation_id)
    if submitted is not None:
        submitted.form.renew(version=dossier.operation.version)
    context = {
        **head_context(dossier.head),
        **evidence_context(dossier),
        **decision_context(request, dossier, submitted),
        "trail_url": trail_url(request, dossier),
        "outcome": outcome,
        "is_newer": False,
        "seen": dossier.head.mark,
    }
    return render_region(request, TEMPLATE, "operation", context, status=status)


def dossier_or_404(request: HttpRequest, operation_id: UUID) -> Dossier:
    """Read for the person who asks. Raises Http404."""
    return _or_404(dossier_of, request, operation_id)


def _or_404[Read](read: Callable[..., Read], request: HttpRequest, operation_id: UUID) -> Read:
    try:
        return read(operation_id, viewer=request.user.get_username())
    except NotFound as refusal:
        raise Http404(refusal.detail) from refusal


def decision_context(
    request: HttpRequest, dossier: Dossier, submitted: Submitted | None
) -> Mapping[str, Any]:
    """What this person may do; a form whose place is gone is answered at the top."""
    abilities = abilities_of(user_of(request))
    panels, closed = panels_of(dossier, abilities, submitted)
    note = note_panel(dossier, abilities, submitted)
    proposals = proposal_cards(dossier, user_of(request), submitted)
    shown = [*(p.place for p in panels), *(p.decide.place for p in proposals if p.decide.form)]
    is_shown = submitted is None or submitted.place in [*shown, Place(ChoiceCode.NOTE)]
    return {
        "panels": panels,
        "closed_panels": closed,
        "proposals": proposals,
        "note_panel": note,
        "refusal": None if submitted is None or is_shown else submitted.refusal or gone(),
    }


def trail_url(request: HttpRequest, dossier: Dossier) -> str:
    """The page of the whole trail, for those who may read it."""
    if Ability.READ_AUDIT not in abilities_of(user_of(request)):
        return ""
    return f"{reverse('operations:audit')}?{urlencode({'operation': dossier.operation.pk})}"


def gone() -> ChoiceClosed:
    """The answer to a form that has no place on the page any more."""
    return ChoiceClosed(
        choice="This decision",
        closed_code="wrong_state",
        why="what it was about is settled or withdrawn by now.",
        how="Read below what was decided, and by whom.",
        opens_at=None,
    )


def head_context(head: Head) -> Mapping[str, Any]:
    """What the head shows."""
    shown = AsRead(head.operation, head.facts.state, str(head.facts.cause or ""))
    return {
        "as_of": head.now,
        "operation": shown,
        "case": case_of(head),
        "counts": head.counts,
        "is_at_rest": head.is_at_rest,
    }


def evidence_context(dossier: Dossier) -> Mapping[str, Any]:
    """All that is on record, which is the same for everybody."""
    return {
        "window": window_of(dossier),
        "reviews": dossier.reviews,
        "effects_url": effects_url(dossier),
        "asking": asking_of(dossier),
        "receipts": receipt_cards(dossier),
        "history": timeline_of(dossier),
        "attempts": attempt_rows(dossier),
        "claims": dossier.claims,
        "late_writes": late_writes(dossier),
        "lookups": lookups_of(dossier),
        "approvals": approval_rows(dossier),
        "payload": payload_of(dossier.operation),
        "entries": entry_rows(dossier),
        "chain": chain_of(dossier),
        "raws": raws_of(dossier),
        "figures": figures_of(dossier),
        "clocks": clocks_of(dossier),
        "relations": relations_of(dossier),
        "notes": dossier.notes,
        "links": links_of(dossier),
    }
