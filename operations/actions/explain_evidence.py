"""What people found about kept evidence; from then on it closes nothing (rule 3 c)."""

from django.db.models import QuerySet

from operations.actions.begin_decision import Begun
from operations.models import AttemptEnd, Explanation, Operation, Receipt, Review
from operations.protocol.states import Finding, Question, Verdict


def unexplained_receipts(operation: Operation) -> QuerySet[Receipt]:
    """The receipts that speak of an effect and that nobody has explained, oldest first."""
    return operation.receipts.filter(needs_explanation=True, explanation=None).order_by("id")


def unexplained_reports(operation: Operation) -> QuerySet[AttemptEnd]:
    """The reports under older tokens that nobody has explained, oldest first."""
    return AttemptEnd.objects.filter(
        attempt__operation=operation, is_stale=True, explanation=None
    ).order_by("id")


def explain(
    evidence: Receipt | AttemptEnd, *, begun: Begun, finding: Finding, reason: str
) -> Explanation:
    """Write the finding beside the evidence, which itself stays as it came."""
    return Explanation.objects.create(
        receipt=evidence if isinstance(evidence, Receipt) else None,
        attempt_end=evidence if isinstance(evidence, AttemptEnd) else None,
        finding=str(finding),
        reason=reason,
        at=begun.at,
        actor_kind=str(begun.actor.kind),
        person=begun.user,
    )


def explain_for_review(begun: Begun, review: Review, *, finding: Finding, reason: str) -> None:
    """Explain what a review that closes is about: the evidence kept, but for another review's own.

    A mismatch explains no record that merely is not final, and none but `late_receipt`, which asks
    whether there was an effect at all, what came under an older token: those take two people.
    A review about the operation that this one replaces explains nothing here.
    """
    if review.question in (Question.STALLED, Question.DUPLICATE_ANSWER):
        return
    if review.receipt is not None and review.receipt.operation_id != begun.operation.pk:
        return
    others = begun.operation.reviews.filter(closed_at=None, receipt__isnull=False)
    spoken_for = others.exclude(pk=review.pk).values("receipt")
    rows = unexplained_receipts(begun.operation)
    if review.question != Question.LATE_RECEIPT:
        rows = rows.filter(is_stale=False)
    if review.question == Question.RECEIPT_MISMATCH and begun.facts.attempts:
        rows = rows.exclude(verdict=Verdict.NOT_PROOF)
    for row in rows.exclude(pk__in=spoken_for):
        explain(row, begun=begun, finding=finding, reason=reason)
