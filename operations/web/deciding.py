"""The policy of a decision: 422 what can't be read, 409 a refusal, 303 or the page when done."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from operations.actions.refused_acts import a_persons_act
from operations.actors import Actor
from operations.protocol.refusals import InvalidField, MalformedJSON, NotPermitted, Refusal
from operations.queries.decisions_done import was_carried_out
from operations.roles import Ability, require
from operations.web.access import View, actor_of, page
from operations.web.forms.decision import DecisionForm
from operations.web.operation_detail import dossier_or_404, show_operation
from operations.web.panels import Submitted
from operations.web.places import Place, form_at
from operations.web.rendering import wants_region

DONE_BEFORE = "This was done already, by the same form; nothing was done twice."
# What htmx swaps in. A plain form gets every refusal with its own status.
SWAPPED = (409, 422)

type Act = Callable[[Any, Actor], Any]
type Telling = Callable[[Any], str]


class SeeOther(HttpResponseRedirect):
    """The answer to a plain form: read the page, by GET, so that a reload decides nothing."""

    status_code = 303


def decision(ability: Ability, *, act: str) -> Callable[[View], View]:
    """A view that takes one decision by POST; read by GET it leads to the operation's page.

    Who lacks the role is told so (403), before the form is read, and the attempt is recorded.
    """

    def decorate(view: View) -> View:
        @require_http_methods(["GET", "HEAD", "POST"])
        @page(Ability.VIEW)
        @wraps(view)
        def guarded(
            request: HttpRequest, operation_id: UUID, *args: object, **kwargs: object
        ) -> HttpResponseBase:
            if request.method != "POST":
                return redirect("operations:detail", operation_id)
            _require(request, ability, act=act, operation_id=operation_id)
            return view(request, operation_id, *args, **kwargs)

        return guarded

    return decorate


def decide(
    request: HttpRequest, operation_id: UUID, place: Place, *, act: Act, told: Telling
) -> HttpResponse:
    """Read the form at `place`, call `act(form, actor)`, and show what came of it.

    `told` turns what the action returned into the sentence that the person reads. A form that is
    not carried out comes back with what was typed, beside its button.
    """
    dossier = dossier_or_404(request, operation_id)
    form = form_at(place, dossier, request.POST)
    if not form.is_valid():
        return _unread(request, operation_id, Submitted(place=place, form=form))
    try:
        sentence = told(act(form, actor_of(request)))
    except NotPermitted as refusal:
        raise PermissionDenied(refusal.detail) from refusal
    except Refusal as refusal:
        _point_at_field(form, refusal)
        sent = Submitted(place=place, form=form, refusal=refusal)
        return show_operation(
            request, operation_id, submitted=sent, status=_status(request, refusal)
        )
    return _done(request, operation_id, sentence)


def _require(request: HttpRequest, ability: Ability, *, act: str, operation_id: UUID) -> None:
    try:
        with a_persons_act(act, actor=actor_of(request), subject=operation_id):
            require(request.user, ability)
    except NotPermitted as refusal:
        raise PermissionDenied(refusal.detail) from refusal


def _unread(request: HttpRequest, operation_id: UUID, sent: Submitted) -> HttpResponse:
    """A form that can't be read, unless it is a second copy of one that was carried out."""
    token = request.POST.get("decision_id", "")
    if was_carried_out(token, person_id=request.user.pk, operation_id=operation_id):
        return _done(request, operation_id, DONE_BEFORE)
    return show_operation(request, operation_id, submitted=sent, status=422)


def _done(request: HttpRequest, operation_id: UUID, sentence: str) -> HttpResponse:
    if wants_region(request):
        return show_operation(request, operation_id, outcome=sentence)
    messages.success(request, sentence)
    return SeeOther(reverse("operations:detail", args=[operation_id]))


def _status(request: HttpRequest, refusal: Refusal) -> int:
    if wants_region(request) and refusal.status not in SWAPPED:
        return SWAPPED[0]
    return refusal.status


def _point_at_field(form: DecisionForm, refusal: Refusal) -> None:
    """Say it at the field too, when the refusal names one that this form has."""
    if isinstance(refusal, MalformedJSON):
        name = "payload_text"
    elif isinstance(refusal, InvalidField):
        name = form.field_of(str(refusal.members["field"]))
    else:
        return
    if name in form.fields:
        form.add_error(name, refusal.detail)
