"""The policy of a decision: 422 what can't be read, 409 a refusal, 303 or the page when done."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from operations.actions.refused_acts import a_persons_act
from operations.protocol.refusals import NotPermitted, Refusal
from operations.queries.decisions_done import was_carried_out
from operations.roles import Ability, require
from operations.web.access import View, actor_of, page, user_of
from operations.web.operation_detail import dossier_or_404, show_operation
from operations.web.panels import Submitted
from operations.web.places import Place, form_at
from operations.web.rendering import wants_region
from operations.web.submitting import Act, SeeOther, Telling, submit


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
            require_role(request, ability, act=act, subject=operation_id)
            return view(request, operation_id, *args, **kwargs)

        return guarded

    return decorate


def decide(
    request: HttpRequest, operation_id: UUID, place: Place, *, act: Act[Any], told: Telling
) -> HttpResponse:
    """Read the form at `place`, call `act(form, actor)`, and show what came of it.

    `told` turns what the action returned into the sentence that the person reads. A form that is
    not carried out comes back with what was typed, beside its button.
    """
    dossier = dossier_or_404(request, operation_id)
    form = form_at(place, dossier, request.POST)

    def again(*, status: int, refusal: Refusal | None = None) -> HttpResponse:
        sent = Submitted(place=place, form=form, refusal=refusal)
        return show_operation(request, operation_id, submitted=sent, status=status)

    token = request.POST.get("decision_id", "")
    return submit(
        request,
        form,
        act=act,
        told=told,
        was_done=lambda: was_carried_out(
            token, person_id=user_of(request).pk, operation_id=operation_id
        ),
        again=again,
        done=lambda sentence: _done(request, operation_id, sentence),
    )


def require_role(request: HttpRequest, ability: Ability, *, act: str, subject: object) -> None:
    """Before a form is read: who lacks the role gets 403, and the attempt is recorded."""
    try:
        with a_persons_act(act, actor=actor_of(request), subject=subject):
            require(request.user, ability)
    except NotPermitted as refusal:
        raise PermissionDenied(refusal.detail) from refusal


def _done(request: HttpRequest, operation_id: UUID, sentence: str) -> HttpResponse:
    if wants_region(request):
        return show_operation(request, operation_id, outcome=sentence)
    messages.success(request, sentence)
    return SeeOther(reverse("operations:detail", args=[operation_id]))
