"""What every settling does besides the event itself."""

from datetime import datetime

from operations.actions.close_requests import void_requests
from operations.actions.open_review import ANSWERED_BY_SETTLING, close_reviews, open_review
from operations.actors import Actor
from operations.models import Operation
from operations.protocol.states import Finding, Question, State


def close_what_settling_answers(operation: Operation, *, actor: Actor, at: datetime) -> None:
    """Close `unknown_outcome` and `stalled`, and void requests that have nothing to decide.

    Other reviews stay open (section 6), and a refusal that denies what was kept before it opens
    `late_receipt`, as evidence that comes after it does. Call it right after apply_event.
    """
    close_reviews(
        operation,
        ANSWERED_BY_SETTLING,
        finding=Finding.SETTLED,
        reason=f"The operation is {operation.state}.",
        actor=actor,
        at=at,
    )
    void_requests(operation, at=at)
    if operation.state == State.REFUSED:
        _ask_about_kept_evidence(operation, actor=actor, at=at)


def _ask_about_kept_evidence(operation: Operation, *, actor: Actor, at: datetime) -> None:
    """Put the newest word of an effect that no open review is about before a person."""
    asked = operation.reviews.filter(closed_at=None, receipt__isnull=False)
    kept = operation.receipts.filter(needs_explanation=True, explanation=None)
    row = kept.exclude(pk__in=asked.values("receipt")).order_by("id").last()
    if row is None:
        return
    effect = f" with effect {row.effect_id}" if row.effect_id else ""
    open_review(
        operation,
        Question.LATE_RECEIPT,
        reason=f"A {row.channel} receipt said {row.status}{effect} before the receiver refused.",
        actor=actor,
        at=at,
        receipt=row,
    )
