"""One statement: its dry run, what its rows came to, and what two people decide about it."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_safe

from operations import clock
from operations.protocol.refusals import Refusal
from operations.queries.decisions_done import was_carried_out
from operations.roles import Ability
from operations.web.access import actor_of, page, user_of
from operations.web.deciding import require_role
from operations.web.paging import Page
from operations.web.rendering import render_region, wants_region
from operations.web.submitting import Act, SeeOther, submit
from reconciliation.actions.propose_statement import propose_statement
from reconciliation.actions.rehearse_statement import rehearse_statement
from reconciliation.actions.second_statement import second_statement
from reconciliation.models import StatementProposal
from reconciliation.protocol.statements.outcomes import Outcome
from reconciliation.protocol.statements.totals import WORDS
from reconciliation.queries.statement_profiles import statement_profile
from reconciliation.queries.statements import StatementRecord, statement_record
from reconciliation.web.statement_choice import (
    PROPOSE_PLACE,
    SECOND_PLACE,
    Submitted,
    choice_of,
)
from reconciliation.web.statement_forms import AnswerForm, ProposeForm
from reconciliation.web.statement_passes import passes_of, rows_of
from reconciliation.web.statement_words import standing_of

PAGE_SIZE = 50


@dataclass(frozen=True, slots=True)
class Rows:
    """Which rows the address asks for: of the application if `is_applied`."""

    outcome: Outcome
    is_applied: bool
    after: int


@require_safe
@page(Ability.VIEW)
def statement(request: HttpRequest, number: int) -> HttpResponse:
    """The whole of it; a region that refreshes itself while a worker is at it."""
    return _show(request, _record(number))


@require_http_methods(["GET", "HEAD", "POST"])
@page(Ability.VIEW)
def rehearsal(request: HttpRequest, number: int) -> HttpResponse:
    """POST compares the file once more, with the record as it is now."""
    if request.method != "POST":
        return redirect("reconciliation:statement", number)
    require_role(request, Ability.SETTLE, act="rehearse_statement", subject=number)
    record = _record(number)
    given = record.statement
    try:
        profile = statement_profile(given.profile, given.receiver)
        rehearse_statement(statement=given, profile=profile, actor=actor_of(request))
    except Refusal as refusal:
        return _show(request, record, refusal=refusal, status=409)
    return _done(request, number, "It is compared with the record again.")


@require_http_methods(["GET", "HEAD", "POST"])
@page(Ability.VIEW)
def proposal(request: HttpRequest, number: int) -> HttpResponse:
    """POST proposes to apply it; where the profile asks for no second person, it is applied."""
    if request.method != "POST":
        return redirect("reconciliation:statement", number)
    require_role(request, Ability.SETTLE, act="propose_statement", subject=number)
    return _decide(
        request,
        number,
        ProposeForm(request.POST, place=PROPOSE_PLACE),
        act=lambda form, actor: propose_statement(
            statement_id=number,
            rehearsal_id=form.cleaned_data["rehearsal"],
            actor=actor,
            reason=form.cleaned_data["reason"],
            decision_id=form.cleaned_data["decision_id"],
        ),
    )


@require_http_methods(["GET", "HEAD", "POST"])
@page(Ability.VIEW)
def answer(request: HttpRequest, number: int, proposal_id: int) -> HttpResponse:
    """POST says yes, which applies it, or no."""
    if request.method != "POST":
        return redirect("reconciliation:statement", number)
    require_role(request, Ability.SECOND, act="second_statement", subject=proposal_id)
    if proposal_id not in _record(number).proposal_ids:
        raise Http404
    return _decide(
        request,
        number,
        AnswerForm(request.POST, place=SECOND_PLACE),
        act=lambda form, actor: second_statement(
            proposal_id=proposal_id,
            actor=actor,
            is_yes=form.is_yes,
            reason=form.cleaned_data["reason"],
            decision_id=form.cleaned_data["decision_id"],
        ),
    )


def _decide(request: HttpRequest, number: int, form: Any, *, act: Act[Any]) -> HttpResponse:
    def again(*, status: int, refusal: Refusal | None = None) -> HttpResponse:
        sent = Submitted(form=form, refusal=refusal)
        return _show(request, _record(number), sent=sent, status=status)

    def was_done() -> bool:
        token = request.POST.get("decision_id", "")
        return was_carried_out(token, person_id=user_of(request).pk, operation_id=None)

    return submit(
        request,
        form,
        act=act,
        told=_told,
        was_done=was_done,
        again=again,
        done=lambda sentence: _done(request, number, sentence),
    )


def _told(found: StatementProposal) -> str:
    if found.run is not None:
        return "It is applied now: exact matches are confirmed, the rest is kept as evidence."
    if found.answered_by is not None:
        return "The proposal is rejected; nothing is changed."
    return "Proposed. Nothing is changed before another person agrees."


def _done(request: HttpRequest, number: int, sentence: str) -> HttpResponse:
    if wants_region(request):
        return _show(request, _record(number), outcome=sentence)
    messages.success(request, sentence)
    return SeeOther(reverse("reconciliation:statement", args=[number]))


def _record(number: int) -> StatementRecord:
    found = statement_record(number) if number < 2**63 else None
    if found is None:
        raise Http404
    return found


def _show(
    request: HttpRequest,
    record: StatementRecord,
    *,
    sent: Submitted | None = None,
    refusal: Refusal | None = None,
    outcome: str = "",
    status: int = 200,
) -> HttpResponse:
    now = clock.now()
    here = reverse("reconciliation:statement", args=[record.statement.pk])
    asked = _rows_asked(request)
    choice = choice_of(record, user_of(request), now=now, sent=sent)
    if sent is not None and not (choice and choice.holds(sent)):
        refusal = sent.refusal
    context = {
        "as_of": now,
        "here": request.get_full_path() if request.method == "GET" else here,
        "statement": record.statement,
        "size": f"{record.statement.size_bytes:,} bytes",
        "standing": standing_of(record, now=now),
        "is_going_on": record.is_going_on,
        "outcome": outcome,
        "refusal": refusal,
        "passes": passes_of(record, here),
        "choice": choice,
        "rows": _shown_rows(record, here, asked) if asked else None,
    }
    return render_region(
        request, "reconciliation/statement.html", "statement", context, status=status
    )


def _shown_rows(record: StatementRecord, here: str, asked: Rows) -> dict[str, Any] | None:
    run = record.application if asked.is_applied else record.rehearsal
    if run is None:
        return None
    rows, further = rows_of(run, asked.outcome, after=asked.after, limit=PAGE_SIZE)
    name = WORDS[asked.outcome].name
    query = {"applied" if asked.is_applied else "rows": str(asked.outcome)}
    return {
        "title": name,
        "rows": rows,
        "page": Page(
            words=f"{len(rows)} of {run.counts.get(asked.outcome, 0):,} rows, in the file's order",
            first_url=f"{here}?{urlencode(query)}#rows" if asked.after else "",
            next_url=f"{here}?{urlencode(query | {'after': further})}#rows" if further else "",
        ),
    }


def _rows_asked(request: HttpRequest) -> Rows | None:
    """What the address asks for. Raises BadRequest."""
    is_applied = "applied" in request.GET
    word = request.GET.get("applied") or request.GET.get("rows", "")
    if not word:
        return None
    after = request.GET.get("after", "0")
    if word not in set(Outcome) or not after.isdecimal() or len(after) > 18:
        raise BadRequest("rows: expected a link of this page.")
    return Rows(Outcome(word), is_applied, int(after))
