"""Answers: to a review, about kept evidence, and to another person's proposal."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse

from operations.actions.decide_approval import decide_approval
from operations.actions.second_proposal import second_proposal
from operations.actions.set_aside_evidence import set_aside_evidence
from operations.actions.settle_review import settle_review
from operations.protocol.states import ChoiceCode, Finding
from operations.roles import Ability
from operations.web.deciding import decide, decision
from operations.web.decisions.words import Answered, told, told_proposal, told_request
from operations.web.places import PROPOSAL, REQUEST, Place


@decision(Ability.SETTLE, act="settle_review")
def review(request: HttpRequest, operation_id: UUID, review_id: int) -> HttpResponse:
    """Close one open review by one of its exits."""
    return decide(
        request,
        operation_id,
        Place(ChoiceCode.SETTLE_REVIEW, review_id),
        act=lambda form, actor: settle_review(
            operation_id=operation_id,
            actor=actor,
            review_id=review_id,
            **{**form.cleaned_data, "finding": Finding(form.cleaned_data["finding"])},
        ),
        told=told("The review is settled, with your finding and its reason on record."),
    )


@decision(Ability.SETTLE, act="set_aside_evidence")
def explanation(request: HttpRequest, operation_id: UUID) -> HttpResponse:
    """Say what a piece of kept evidence is; it is never removed."""
    return decide(
        request,
        operation_id,
        Place(ChoiceCode.SET_ASIDE),
        act=lambda form, actor: set_aside_evidence(
            operation_id=operation_id,
            actor=actor,
            version=form.cleaned_data["version"],
            finding=Finding(form.cleaned_data["finding"]),
            reason=form.cleaned_data["reason"],
            decision_id=form.cleaned_data["decision_id"],
            **form.ids(),
        ),
        told=told("The evidence is explained; it closes no choice any more."),
    )


@decision(Ability.SECOND, act="second_proposal")
def proposal(request: HttpRequest, operation_id: UUID, approval_id: int) -> HttpResponse:
    """Agree to another person's proposal, which carries it out, or reject it."""
    return decide(
        request,
        operation_id,
        Place(PROPOSAL, approval_id),
        act=lambda form, actor: Answered(
            second_proposal(
                approval_id=approval_id,
                actor=actor,
                is_yes=form.is_yes,
                reason=form.cleaned_data["reason"],
                version=form.cleaned_data["version"],
                decision_id=form.cleaned_data["decision_id"],
            ),
            form.is_yes,
        ),
        told=told_proposal,
    )


@decision(Ability.VIEW, act="decide_approval")
def request_answer(request: HttpRequest, operation_id: UUID, approval_id: int) -> HttpResponse:
    """Say yes or no to the request for approval; the role it takes is the request's own."""
    return decide(
        request,
        operation_id,
        Place(REQUEST, approval_id),
        act=lambda form, actor: Answered(
            decide_approval(
                approval_id=approval_id,
                actor=actor,
                is_yes=form.is_yes,
                reason=form.cleaned_data["reason"],
                digest_seen=form.cleaned_data["digest_seen"],
                version=form.cleaned_data["version"],
                decision_id=form.cleaned_data["decision_id"],
            ),
            form.is_yes,
        ),
        told=told_request,
    )
