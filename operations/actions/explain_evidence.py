"""What people found about kept evidence; from then on it closes nothing (rule 3 c)."""

from django.db.models import QuerySet

from operations.actions.begin_decision import Begun
from operations.models import AttemptEnd, Explanation, Operation, Receipt
from operations.protocol.states import Finding


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
