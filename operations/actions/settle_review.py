"""A person answers a review by one of its exits; a correction takes two people (section 6)."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from operations import hints
from operations.actions.begin_decision import Begun, Decided, begin_decision, judge
from operations.actions.close_review import close_review, mark_closed
from operations.actions.closed_choice import closed
from operations.actions.confirm_by_people import confirm_by_people
from operations.actions.explain_evidence import explain_for_review
from operations.actions.propose import perform_or_propose
from operations.actions.reasons import require_words
from operations.actions.refused_acts import a_persons_act
from operations.actors import Actor
from operations.models import Receipt, Review
from operations.protocol.exits import Exit
from operations.protocol.refusals import InvalidField, NotFound
from operations.protocol.settlement import OWN_AUTHORITY
from operations.protocol.states import (
    Channel,
    ChoiceCode,
    Executor,
    Finding,
    Grade,
    Question,
    State,
)
from operations.queries.review_exits import exits_of
from operations.roles import Ability

ACT = "settle_review"


def settle_review(
    *,
    operation_id: UUID,
    actor: Actor,
    version: int,
    review_id: int,
    finding: Finding,
    reason: str,
    receipt_id: int | None = None,
    decision_id: str = "",
) -> Decided:
    """The review closed with this finding, or a proposal where that takes two people.

    `receipt_id` names the receipt that a confirmation rests on; without it, the review's own.
    Raises NotFound, InvalidField for a finding that is no exit, ChoiceClosed, and what
    `begin_decision` raises.
    """
    with a_persons_act(ACT, actor=actor, subject=operation_id):
        begun = begin_decision(
            operation_id=operation_id,
            actor=actor,
            act=ACT,
            ability=Ability.SETTLE,
            version=version,
            decision_id=decision_id,
        )
        if begun.is_repeat:
            return Decided(operation=begun.operation, is_repeat=True)
        review = _open_review(begun, review_id)
        way = _way(begun, review, finding)
        begun = judge(begun, choice=ChoiceCode.SETTLE_REVIEW)
        return perform_or_propose(
            begun,
            choice=ChoiceCode.SETTLE_REVIEW,
            terms={
                "review": review.pk,
                "finding": str(finding),
                "receipt": receipt_id or review.receipt_id,
            },
            reason=require_words(reason),
            sentence=way.sentence,
            needs_second=way.needs_second and begun.profile.second_person,
            carry_out=carry_out_settling,
        )


def carry_out_settling(begun: Begun, terms: Mapping[str, Any], reason: str) -> None:
    """Do what the finding says and close the review, judged again. Raises as settle_review."""
    begun = judge(begun)
    review = _open_review(begun, terms["review"])
    finding = Finding(terms["finding"])
    _way(begun, review, finding)
    if finding in (Finding.CONFIRMED_ATTESTED, Finding.CORRECTED):
        _confirm(begun, review, finding, receipt_id=terms["receipt"], reason=reason)
    else:
        _CARRY_OUT[finding](begun, review, reason)


def _open_review(begun: Begun, review_id: int) -> Review:
    review = begun.operation.reviews.filter(pk=review_id, closed_at=None).first()
    if review is None:
        raise NotFound(what="open review", got=str(review_id))
    return review


def _way(begun: Begun, review: Review, finding: Finding) -> Exit:
    found = exits_of(review, begun.operation, has_attempt=bool(begun.facts.attempts))
    ways = {way.finding: way for way in found}
    if not ways:
        raise closed(
            ChoiceCode.SETTLE_REVIEW,
            "wrong_state",
            f"{review.question} asks for the outcome itself, and closes when that is decided.",
            "Look up, attest a receipt, find that it was not executed, or release it.",
        )
    if finding not in ways:
        raise InvalidField(field="finding", expected=" or ".join(ways), got=str(finding))
    return ways[finding]


def _confirm(
    begun: Begun, review: Review, finding: Finding, *, receipt_id: int | None, reason: str
) -> None:
    row = begun.operation.receipts.filter(pk=receipt_id or 0).first()
    if row is None:
        raise NotFound(what="receipt of this operation", got=str(receipt_id))
    confirm_by_people(
        begun,
        row,
        choice=ChoiceCode.SETTLE_REVIEW,
        finding=finding,
        grade=Grade.ATTESTED if finding == Finding.CONFIRMED_ATTESTED else _grade(row),
        reason=reason,
        detail={
            "review": review.pk,
            "question": review.question,
            "finding": str(finding),
            "differences": [found["pointer"] for found in row.differences],
        },
    )
    mark_closed(begun, review, finding=finding, reason=reason)


def _grade(row: Receipt) -> Grade:
    """The grade follows the channel; what differs is known by people's word only."""
    if row.differences or row.channel == Channel.PERSON:
        return Grade.ATTESTED
    is_own_word = row.channel in OWN_AUTHORITY or row.reported_by_agent_id is None
    return Grade.RECEIPT if is_own_word else Grade.RECEIPT_REPORTED


def _explained(finding: Finding) -> Callable[[Begun, Review, str], None]:
    def carry_out(begun: Begun, review: Review, reason: str) -> None:
        explain_for_review(begun, review, finding=finding, reason=reason)
        changes = {"is_reversed": True} if finding == Finding.REVERSED else {}
        close_review(begun, review, finding=finding, reason=reason, changes=changes)

    return carry_out


def _compensate(begun: Begun, review: Review, reason: str) -> None:
    if not begun.operation.compensated_by.filter(created_at__gte=review.opened_at).exists():
        raise closed(
            ChoiceCode.SETTLE_REVIEW,
            "wrong_state",
            "no operation that makes up for this one was registered since the review opened.",
            "Compensate with a new operation; that closes the review too.",
        )
    _explained(Finding.COMPENSATE)(begun, review, reason)


def _stands(begun: Begun, review: Review, reason: str) -> None:
    if review.question == Question.STALLED:
        limit = timedelta(seconds=begun.profile.due_limit_seconds)
        _go_on(begun, review, reason, finding=Finding.STANDS, due_at=begun.at + limit)
    else:
        _explained(Finding.STANDS)(begun, review, reason)


def _resume(begun: Begun, review: Review, reason: str) -> None:
    _go_on(begun, review, reason, finding=Finding.RESUMED, due_at=begun.at)


def _go_on(
    begun: Begun, review: Review, reason: str, *, finding: Finding, due_at: datetime
) -> None:
    """Due again; what may have been sent is looked up, never sent again (rule 2)."""
    operation = begun.operation
    is_unknown = operation.state == State.SENT_UNKNOWN
    is_ours = operation.state == State.READY and operation.executor == Executor.CONSOLE
    changes: dict[str, Any] = {"claims_without_mark": 0, "could_not_ask_since": None}
    if is_unknown or is_ours:
        changes["next_try_at"] = due_at
    close_review(begun, review, finding=finding, reason=reason, changes=changes)
    if due_at > begun.at:
        return
    if is_unknown:
        hints.reconcile_soon(operation.pk)
    elif is_ours:
        hints.dispatch_soon(operation.pk)


_CARRY_OUT: dict[Finding, Callable[[Begun, Review, str], None]] = {
    Finding.NOT_OURS: _explained(Finding.NOT_OURS),
    Finding.STANDS: _stands,
    Finding.REVERSED: _explained(Finding.REVERSED),
    Finding.COMPENSATE: _compensate,
    Finding.RESUMED: _resume,
}
