"""The whole policy of a form that decides something: 422 what can't be read, 409 a refusal, and the
sentence of what was done."""

from collections.abc import Callable
from typing import Any, Protocol

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from operations.actors import Actor
from operations.protocol.refusals import (
    InvalidField,
    InvalidPayload,
    MalformedJSON,
    NotPermitted,
    Refusal,
)
from operations.web.access import actor_of
from operations.web.forms.decision import DecisionForm
from operations.web.rendering import wants_region

DONE_BEFORE = "This was done already, by the same form; nothing was done twice."
# What htmx swaps in. A plain form gets every refusal with its own status.
SWAPPED = (409, 422)

type Act[Form: DecisionForm] = Callable[[Form, Actor], Any]
type Telling = Callable[[Any], str]


class Showing(Protocol):
    """Shows the form again, with what was typed, beside its button."""

    def __call__(self, *, status: int, refusal: Refusal | None = None) -> HttpResponse:
        """`refusal` is None for a form with mistakes of its own."""


class SeeOther(HttpResponseRedirect):
    """The answer to a plain form: read the page, by GET, so that a reload decides nothing."""

    status_code = 303


def submit[Form: DecisionForm](
    request: HttpRequest,
    form: Form,
    *,
    act: Act[Form],
    told: Telling,
    was_done: Callable[[], bool],
    again: Showing,
    done: Callable[[str], HttpResponse],
) -> HttpResponse:
    """Read the form, call `act(form, actor)`, and answer with what came of it.

    `told` turns what the action returned into the sentence that the person reads. `was_done` says
    whether this form, which can't be read now, is a second copy of one that was carried out.
    """
    if not form.is_valid():
        return done(DONE_BEFORE) if was_done() else again(status=422)
    try:
        sentence = told(act(form, actor_of(request)))
    except NotPermitted as refusal:
        raise PermissionDenied(refusal.detail) from refusal
    except Refusal as refusal:
        _point_at_field(form, refusal)
        return again(status=_status(request, refusal), refusal=refusal)
    return done(sentence)


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
    elif isinstance(refusal, InvalidPayload):
        name = "payload_text"
    else:
        return
    if name in form.fields:
        form.add_error(name, refusal.detail)
