"""A person starts a new operation that makes up for an effect that happened (rule 3)."""

from uuid import UUID

from operations.actions.begin_decision import Begun, Decided, begin_decision, finish_decision
from operations.actions.close_review import close_review
from operations.actions.explain_evidence import explain_for_review
from operations.actions.follow_up import FollowUp, register_follow_up
from operations.actions.reasons import require_words
from operations.actions.refused_acts import a_persons_act
from operations.actors import Actor
from operations.models import Review
from operations.protocol.refusals import NotFound
from operations.protocol.states import ChoiceCode, Finding
from operations.queries.review_exits import exits_of
from operations.roles import Ability

ACT = "compensate_operation"


def compensate_operation(
    *,
    operation_id: UUID,
    actor: Actor,
    version: int,
    wanted: FollowUp,
    reason: str,
    review_id: int | None = None,
    decision_id: str = "",
) -> Decided:
    """The new operation is `follow_up`: linked, under its own key, waiting for approval.

    With `review_id` the review that asked for it is closed by it. Raises ChoiceClosed unless the
    old one is confirmed, NotFound for a review that compensating does not answer, and what
    `begin_decision` and `register_operation` raise.
    """
    with a_persons_act(ACT, actor=actor, subject=operation_id):
        begun = begin_decision(
            operation_id=operation_id,
            actor=actor,
            act=ACT,
            ability=Ability.SETTLE,
            version=version,
            decision_id=decision_id,
            choice=ChoiceCode.COMPENSATE,
        )
        if begun.is_repeat:
            latest = begun.operation.compensated_by.order_by("-created_at").first()
            return Decided(operation=begun.operation, is_repeat=True, follow_up=latest)
        review = _answered(begun, review_id) if review_id is not None else None
        words = require_words(reason)
        new = register_follow_up(begun, wanted, link="compensates", reason=words)
        if review is not None:
            explain_for_review(begun, review, finding=Finding.COMPENSATE, reason=words)
            close_review(begun, review, finding=Finding.COMPENSATE, reason=words)
        finish_decision(begun)
        return Decided(operation=begun.operation, follow_up=new)


def _answered(begun: Begun, review_id: int) -> Review:
    review = begun.operation.reviews.filter(pk=review_id, closed_at=None).first()
    if review is None:
        raise NotFound(what="open review", got=str(review_id))
    ways = exits_of(review, begun.operation, has_attempt=bool(begun.facts.attempts))
    if Finding.COMPENSATE not in {way.finding for way in ways}:
        raise NotFound(what="review that compensating answers", got=str(review_id))
    return review
