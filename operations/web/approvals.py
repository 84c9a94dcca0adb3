"""Requests for approval: what waits for whom, what became of the rest, and a person's answer."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_safe

from operations import clock
from operations.actions.begin_decision import Decided
from operations.actions.decide_approval import decide_approval
from operations.actors import Actor
from operations.protocol.refusals import NotFound, Refusal
from operations.protocol.states import ApprovalStatus
from operations.queries.approvals import (
    COUNTED,
    ApprovalList,
    ApprovalsPage,
    approval_card,
    approval_counts,
    approvals_page,
)
from operations.queries.decisions_done import was_carried_out
from operations.queries.places import RowPlace
from operations.roles import Ability
from operations.web.access import page, user_of
from operations.web.approval_cards import card_of, form_for, target_of
from operations.web.environment import PARAMETER, environment_in
from operations.web.forms.approval import ApprovalForm
from operations.web.paging import Page, page_words, place_in
from operations.web.rendering import wants_region
from operations.web.submitting import SeeOther, submit

PAGE_SIZE = 20
TEMPLATE = "operations/approvals.html"
WORDS = {
    ApprovalList.NEEDS_ME: "Needs me",
    ApprovalList.WAITING: "Waiting on others",
    ApprovalList.DECIDED: "Decided",
    ApprovalList.EXPIRED: "Ran out",
}
EMPTY = {
    ApprovalList.NEEDS_ME: "Nothing waits for your yes or no.",
    ApprovalList.WAITING: "No request waits for somebody else.",
    ApprovalList.DECIDED: "Nobody has decided a request yet.",
    ApprovalList.EXPIRED: "No request ran out of time.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tab:
    """One list, with how many it holds."""

    word: str
    count: str
    url: str
    is_current: bool


@require_safe
@page(Ability.VIEW)
def approvals(request: HttpRequest) -> HttpResponse:
    """One page of one list: open requests the oldest first, the others the newest first."""
    wanted = _list(request.GET.get("list", ApprovalList.NEEDS_ME))
    after, environment = place_in(request), environment_in(request)
    found = approvals_page(
        user_of(request), wanted, limit=PAGE_SIZE, after=after, environment=environment
    )
    context = {
        "as_of": found.now,
        "here": request.get_full_path(),
        "tabs": _tabs(found.counts, wanted, environment),
        "empty_sentence": EMPTY[wanted],
        "cards": [card_of(each, now=found.now) for each in found.cards],
        "page": _pages(found, wanted, after, environment),
    }
    return render(request, TEMPLATE, context)


@require_http_methods(["GET", "HEAD", "POST"])
@page(Ability.VIEW)
def answer(request: HttpRequest, approval_id: int) -> HttpResponse:
    """POST is one person's yes or no; who may give it is judged, and recorded, by the action."""
    if request.method != "POST":
        return redirect(f"{reverse('operations:approvals')}#{target_of(approval_id)}")
    try:
        found = approval_card(approval_id, user_of(request), now=clock.now())
    except NotFound as refusal:
        raise Http404(refusal.detail) from refusal
    form = form_for(found.approval, found.operation, request.POST)

    def act(form: ApprovalForm, actor: Actor) -> Decided:
        said = form.cleaned_data
        return decide_approval(
            approval_id=approval_id,
            actor=actor,
            is_yes=form.is_yes,
            reason=said["reason"],
            digest_seen=said["digest_seen"],
            version=said["version"],
            decision_id=said["decision_id"],
        )

    token, operation = request.POST.get("decision_id", ""), found.operation
    return submit(
        request,
        form,
        act=act,
        told=lambda decided: _told(request, approval_id, decided),
        was_done=lambda: was_carried_out(
            token, person_id=user_of(request).pk, operation_id=operation.pk
        ),
        again=lambda *, status, refusal=None: _card(
            request, approval_id, form=form, refusal=refusal, status=status
        ),
        done=lambda sentence: _done(request, approval_id, sentence),
    )


def _card(
    request: HttpRequest,
    approval_id: int,
    *,
    form: ApprovalForm | None = None,
    refusal: Refusal | None = None,
    status: int = 200,
) -> HttpResponse:
    """The card alone for htmx; for a plain form the page, with nothing but this card on it."""
    now = clock.now()
    found = approval_card(approval_id, user_of(request), now=now)
    card = card_of(found, now=now, sent=form, refusal=refusal)
    if wants_region(request):
        context = {"card": card, "as_of": now}
        return render(request, f"{TEMPLATE}#card", context, status=status)
    context = {
        "as_of": now,
        "here": reverse("operations:approvals"),
        "tabs": _tabs(approval_counts(user_of(request))[1], None, ""),
        "empty_sentence": "",
        "cards": [card],
        "page": None,
    }
    return render(request, TEMPLATE, context, status=status)


def _done(request: HttpRequest, approval_id: int, sentence: str) -> HttpResponse:
    if wants_region(request):
        return _card(request, approval_id)
    messages.success(request, sentence)
    return SeeOther(reverse("operations:approvals"))


def _told(request: HttpRequest, approval_id: int, decided: Decided) -> str:
    if decided.is_repeat:
        return "This was done already, by the same form; nothing was done twice."
    card = approval_card(approval_id, user_of(request), now=clock.now())
    title = decided.operation.title or decided.operation.key
    if card.status == ApprovalStatus.GRANTED:
        return f"Approved: {title}. It may be sent once."
    if card.status == ApprovalStatus.REJECTED:
        return f"Rejected: {title}. Nothing is sent."
    left = card.approval.needed - card.approval.given
    return f"Your yes is kept: {title} takes {left} more."


def _tabs(
    counts: Mapping[ApprovalList, int], current: ApprovalList | None, environment: str
) -> list[Tab]:
    return [
        Tab(
            word=WORDS[each],
            count=f"{count:,}+" if count == COUNTED else str(count),
            url=_url(each, environment),
            is_current=each == current,
        )
        for each, count in counts.items()
    ]


def _pages(
    found: ApprovalsPage, wanted: ApprovalList, after: RowPlace | None, environment: str
) -> Page | None:
    if not found.after and not after:
        return None
    is_open = wanted in (ApprovalList.NEEDS_ME, ApprovalList.WAITING)
    order = "oldest first" if is_open else "newest first"
    return Page(
        words=page_words(len(found.cards), "request", order=order),
        first_url=_url(wanted, environment) if after else "",
        next_url=_url(wanted, environment, after=str(found.after)) if found.after else "",
    )


def _url(wanted: ApprovalList, environment: str, **also: str) -> str:
    listed = "" if wanted == ApprovalList.NEEDS_ME else str(wanted)
    own = {PARAMETER: environment, "list": listed} | also
    given = {name: value for name, value in own.items() if value}
    there = reverse("operations:approvals")
    return f"{there}?{urlencode(given)}" if given else there


def _list(word: str) -> ApprovalList:
    if word not in set(ApprovalList):
        raise BadRequest(f"list: expected one of {', '.join(ApprovalList)}, got {word[:40]}.")
    return ApprovalList(word)
