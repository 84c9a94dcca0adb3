"""Decisions that start another operation, or end one before it began."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse

from operations.actions.compensate_operation import compensate_operation
from operations.actions.supersede_operation import supersede_operation
from operations.actions.withdraw_operation import withdraw_operation
from operations.protocol.states import ChoiceCode
from operations.roles import Ability
from operations.web.deciding import decide, decision
from operations.web.decisions.words import told, told_follow_up
from operations.web.places import Place


@decision(Ability.SETTLE, act="supersede_operation")
def supersession(request: HttpRequest, operation_id: UUID) -> HttpResponse:
    """Register a new operation in place of this one."""
    return decide(
        request,
        operation_id,
        Place(ChoiceCode.SUPERSEDE),
        act=lambda form, actor: supersede_operation(
            operation_id=operation_id,
            actor=actor,
            version=form.cleaned_data["version"],
            wanted=form.wanted(),
            reason=form.cleaned_data["reason"],
            decision_id=form.cleaned_data["decision_id"],
        ),
        told=told_follow_up,
    )


@decision(Ability.SETTLE, act="compensate_operation")
def compensation(request: HttpRequest, operation_id: UUID) -> HttpResponse:
    """Register a new operation that makes up for this one."""
    return decide(
        request,
        operation_id,
        Place(ChoiceCode.COMPENSATE),
        act=lambda form, actor: compensate_operation(
            operation_id=operation_id,
            actor=actor,
            version=form.cleaned_data["version"],
            wanted=form.wanted(),
            reason=form.cleaned_data["reason"],
            review_id=form.cleaned_data.get("review_id"),
            decision_id=form.cleaned_data["decision_id"],
        ),
        told=told_follow_up,
    )


@decision(Ability.SETTLE, act="withdraw_operation")
def cancellation(request: HttpRequest, operation_id: UUID) -> HttpResponse:
    """Withdraw an operation that was never sent."""
    return decide(
        request,
        operation_id,
        Place(ChoiceCode.CANCEL),
        act=lambda form, actor: withdraw_operation(
            operation_id=operation_id, actor=actor, **form.cleaned_data
        ),
        told=told("Cancelled. Nothing was sent, and nothing will be under this key."),
    )
