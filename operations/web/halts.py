"""The halt switch: what is stopped, by whom and why; stopping more; letting it go on."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRedirect

from operations import clock
from operations.actions.halt_dispatch import halt_dispatch, resume_dispatch
from operations.actors import Actor
from operations.models import Halt
from operations.protocol.refusals import Refusal
from operations.queries.decisions_done import was_carried_out
from operations.queries.halts import halts_in_force, halts_lifted
from operations.roles import Ability, may
from operations.web.access import page, user_of
from operations.web.deciding import require_role
from operations.web.forms.halt import HaltForm, LiftForm, Scope
from operations.web.paging import Page, page_words, place_in
from operations.web.rendering import render_region, wants_region
from operations.web.submitting import SeeOther, submit

PAGE_SIZE = 25
HALT_PLACE = "halt"


@dataclass(frozen=True, slots=True, kw_only=True)
class HaltRow:
    """One halt. `form` lifts it: None for one that is lifted, and for whoever may not."""

    halt: Halt
    scope: str
    form: LiftForm | None = None
    url: str = ""
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A form that was sent and not carried out, as it comes back."""

    form: LiftForm
    refusal: Refusal | None = None
    halt_id: int | None = None


@require_http_methods(["GET", "HEAD", "POST"])
@page(Ability.VIEW)
def halts(request: HttpRequest) -> HttpResponse:
    """Everything that is stopped; POST stops more."""
    if request.method != "POST":
        return _show(request)
    require_role(request, Ability.HALT, act="halt_dispatch", subject="")
    form = HaltForm(request.POST, place=HALT_PLACE)

    def act(form: HaltForm, actor: Actor) -> Halt:
        scope = Scope.read(form.cleaned_data["scope"])
        return halt_dispatch(
            actor=actor,
            reason=form.cleaned_data["reason"],
            environment=scope.environment,
            receiver=scope.receiver,
            decision_id=form.cleaned_data["decision_id"],
        )

    return submit(
        request,
        form,
        act=act,
        told=lambda halt: f"Dispatch is halted: {scope_of(halt).words}.",
        was_done=lambda: _was_done(request),
        again=lambda *, status, refusal=None: _show(
            request, sent=Sent(form=form, refusal=refusal), status=status
        ),
        done=lambda sentence: _done(request, sentence),
    )


@require_http_methods(["GET", "HEAD", "POST"])
@page(Ability.VIEW)
def lifting(request: HttpRequest, halt_id: int) -> HttpResponse:
    """POST lifts one halt."""
    if request.method != "POST":
        return redirect("operations:halts")
    require_role(request, Ability.HALT, act="resume_dispatch", subject=halt_id)
    form = LiftForm(request.POST, place=_place(halt_id))

    def act(form: LiftForm, actor: Actor) -> Halt:
        return resume_dispatch(
            halt_id=halt_id,
            actor=actor,
            reason=form.cleaned_data["reason"],
            decision_id=form.cleaned_data["decision_id"],
        )

    return submit(
        request,
        form,
        act=act,
        told=lambda halt: f"Dispatch goes on: {scope_of(halt).words}.",
        was_done=lambda: _was_done(request),
        again=lambda *, status, refusal=None: _show(
            request, sent=Sent(form=form, refusal=refusal, halt_id=halt_id), status=status
        ),
        done=lambda sentence: _done(request, sentence),
    )


def _show(request: HttpRequest, *, sent: Sent | None = None, status: int = 200) -> HttpResponse:
    here, after = reverse("operations:halts"), place_in(request)
    lifted, further = halts_lifted(after=after, limit=PAGE_SIZE)
    standing = list(halts_in_force())
    may_halt = may(request.user, Ability.HALT)
    if sent is not None:
        sent.form.renew(version=1)
    lifts = {sent.halt_id: sent} if sent else {}
    is_placed = sent is not None and sent.halt_id in {halt.pk for halt in standing}
    context = {
        "as_of": clock.now(),
        "here": here,
        "refusal": sent.refusal if sent and not is_placed else None,
        "form": _halt_form(sent) if may_halt else None,
        "standing": [_row(halt, lifts.get(halt.pk), may_lift=may_halt) for halt in standing],
        "lifted": [HaltRow(halt=halt, scope=scope_of(halt).words) for halt in lifted],
        "page": Page(
            words=page_words(len(lifted), "lifted halt", order="newest first"),
            first_url=here if after else "",
            next_url=f"{here}?{urlencode({'after': str(further)})}" if further else "",
        ),
    }
    return render_region(request, "operations/halts.html", "halts", context, status=status)


def _row(halt: Halt, sent: Sent | None, *, may_lift: bool) -> HaltRow:
    return HaltRow(
        halt=halt,
        scope=scope_of(halt).words,
        form=(sent.form if sent else LiftForm(place=_place(halt.pk))) if may_lift else None,
        url=reverse("operations:halt_lifting", args=[halt.pk]),
        refusal=sent.refusal if sent else None,
    )


def _halt_form(sent: Sent | None) -> LiftForm:
    return sent.form if sent and sent.halt_id is None else HaltForm(place=HALT_PLACE)


def scope_of(halt: Halt) -> Scope:
    """What a halt holds."""
    return Scope(halt.environment, halt.receiver)


def _place(halt_id: int) -> str:
    return f"lift-{halt_id}"


def _was_done(request: HttpRequest) -> bool:
    token = request.POST.get("decision_id", "")
    return was_carried_out(token, person_id=user_of(request).pk, operation_id=None)


def _done(request: HttpRequest, sentence: str) -> HttpResponse:
    """The whole page anew: what is halted stands at its top, outside the region."""
    messages.success(request, sentence)
    there = reverse("operations:halts")
    return HttpResponseClientRedirect(there) if wants_region(request) else SeeOther(there)
