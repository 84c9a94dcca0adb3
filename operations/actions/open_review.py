"""Opening and closing the questions that only a person can answer."""

from collections.abc import Iterable
from datetime import datetime

from operations.actions.apply_event import record_change
from operations.actors import Actor
from operations.models import Operation, Receipt, Review
from operations.protocol.states import Finding, Question

# A settled operation has answered these two by itself; every other question stays (section 6).
ANSWERED_BY_SETTLING = (Question.UNKNOWN_OUTCOME, Question.STALLED)


def open_review(
    operation: Operation,
    question: Question,
    *,
    reason: str,
    actor: Actor,
    at: datetime,
    receipt: Receipt | None = None,
) -> Review:
    """The open review of that question: a new one, or the one that is open already.

    Needs the operation's row lock. The version grows only when a review is opened.
    """
    standing = operation.reviews.filter(question=question, closed_at=None).first()
    if standing:
        return standing
    review = Review.objects.create(
        operation=operation, question=question, reason=reason, opened_at=at, receipt=receipt
    )
    record_change(
        operation,
        "open_review",
        actor=actor,
        at=at,
        detail={
            "question": str(question),
            "why": reason,
            "receipt": receipt.pk if receipt else None,
        },
    )
    return review


def close_reviews(
    operation: Operation,
    questions: Iterable[Question],
    *,
    finding: Finding,
    reason: str,
    actor: Actor,
    at: datetime,
) -> list[Review]:
    """Close those questions where they are open; the caller records the change that did it."""
    closed = list(operation.reviews.filter(question__in=list(questions), closed_at=None))
    for review in closed:
        review.closed_at, review.finding, review.closing_reason = at, str(finding), reason
        review.closed_by_id = actor.person_id if actor.kind == "person" else None
        review.save(update_fields=["closed_at", "finding", "closing_reason", "closed_by"])
    return closed
