"""Taking a case, handing it back, and leaving a note."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse

from operations.actions.add_note import add_note
from operations.actions.hand_back_case import hand_back_case
from operations.actions.take_case import take_case
from operations.protocol.states import ChoiceCode
from operations.protocol.words import until_text
from operations.roles import Ability
from operations.web.deciding import decide, decision
from operations.web.places import Place


@decision(Ability.SETTLE, act="take_case")
def case(request: HttpRequest, operation_id: UUID) -> HttpResponse:
    """Show the others who decides this one."""
    return decide(
        request,
        operation_id,
        Place(ChoiceCode.TAKE),
        act=lambda form, actor: take_case(
            operation_id=operation_id, actor=actor, **form.cleaned_data
        ),
        told=lambda operation: (
            f"The case is yours until {until_text(operation.review_expires_at)}."
        ),
    )


@decision(Ability.SETTLE, act="hand_back_case")
def hand_back(request: HttpRequest, operation_id: UUID) -> HttpResponse:
    """Free the case for the others."""
    return decide(
        request,
        operation_id,
        Place(ChoiceCode.HAND_BACK),
        act=lambda form, actor: hand_back_case(
            operation_id=operation_id, actor=actor, **form.cleaned_data
        ),
        told=lambda operation: "The case is free again.",
    )


@decision(Ability.NOTE, act="add_note")
def note(request: HttpRequest, operation_id: UUID) -> HttpResponse:
    """Leave a note for the next person."""
    return decide(
        request,
        operation_id,
        Place(ChoiceCode.NOTE),
        act=lambda form, actor: add_note(
            operation_id=operation_id, actor=actor, **form.cleaned_data
        ),
        told=lambda note: "Your note is there for the others.",
    )
