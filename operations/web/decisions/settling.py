"""Decisions about an unknown outcome: look up, attest, not executed, release, sender gone."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse

from operations.actions.attest_receipt import attest_receipt
from operations.actions.close_attempt import close_attempt
from operations.actions.find_not_executed import find_not_executed
from operations.actions.release_operation import release_operation
from operations.actions.request_lookup import request_lookup
from operations.protocol.states import ChoiceCode
from operations.roles import Ability
from operations.web.deciding import decide, decision
from operations.web.decisions.words import told, told_lookup
from operations.web.places import Place


@decision(Ability.SETTLE, act="request_lookup")
def lookup(request: HttpRequest, operation_id: UUID) -> HttpResponse:
    """Ask the receiver as soon as that is safe; sends nothing."""
    return decide(
        request,
        operation_id,
        Place(ChoiceCode.LOOK_UP),
        act=lambda form, actor: request_lookup(operation_id=operation_id, actor=actor),
        told=told_lookup,
    )


@decision(Ability.SETTLE, act="attest_receipt")
def attestation(request: HttpRequest, operation_id: UUID) -> HttpResponse:
    """Enter the receiver's receipt: compared, then proposed to a second person."""
    return decide(
        request,
        operation_id,
        Place(ChoiceCode.ATTEST),
        act=lambda form, actor: attest_receipt(
            operation_id=operation_id,
            actor=actor,
            version=form.cleaned_data["version"],
            entered=form.entered(),
            reason=form.cleaned_data["reason"],
            insists=form.cleaned_data.get("insists", False),
            decision_id=form.cleaned_data["decision_id"],
        ),
        told=told("The receipt matches: the operation is confirmed, as attested."),
    )


@decision(Ability.SETTLE, act="find_not_executed")
def finding(request: HttpRequest, operation_id: UUID) -> HttpResponse:
    """Record that nothing happened at the receiver."""
    return decide(
        request,
        operation_id,
        Place(ChoiceCode.NOT_EXECUTED),
        act=lambda form, actor: find_not_executed(
            operation_id=operation_id, actor=actor, **form.cleaned_data
        ),
        told=told("Recorded: it was not executed. Nothing is sent under this key again."),
    )


@decision(Ability.SETTLE, act="release_operation")
def release(request: HttpRequest, operation_id: UUID) -> HttpResponse:
    """Allow exactly one more send under the same key."""
    return decide(
        request,
        operation_id,
        Place(ChoiceCode.RELEASE),
        act=lambda form, actor: release_operation(
            operation_id=operation_id, actor=actor, **form.cleaned_data
        ),
        told=told("Released for exactly one more send, under the same key."),
    )


@decision(Ability.SECOND, act="close_attempt")
def closure(request: HttpRequest, operation_id: UUID) -> HttpResponse:
    """Record that an attempt's process is gone; it counts once two people did."""
    return decide(
        request,
        operation_id,
        Place(ChoiceCode.CLOSE_ATTEMPT),
        act=lambda form, actor: close_attempt(
            operation_id=operation_id, actor=actor, **form.cleaned_data
        ),
        told=told("Recorded. The attempt is closed once two people have recorded it."),
    )
