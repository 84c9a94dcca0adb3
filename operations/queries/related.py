"""Other operations that one has to do with: those linked to it, and those of its reference."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from operations.models import Approval, Operation, Review
from operations.protocol.states import ApprovalStatus, ApprovalSubject, Question

SHOWN = 12
_COLUMNS = (
    "id",
    "key",
    "title",
    "state",
    "grade",
    "reference",
    "environment",
    "kind",
    "payload_digest",
    "created_at",
    "supersedes_id",
    "compensates_id",
)


@dataclass(frozen=True, slots=True)
class Held:
    """One of them, and what holds it: a late receipt's open review, or an open question whether it
    is the same order once more."""

    operation: Operation
    by_late_receipt: bool
    as_twin: bool


def linked_to(operation: Operation) -> Sequence[Held]:
    """What it supersedes or compensates and what does so to it, the newest first: at most 12."""
    older = [pk for pk in (operation.supersedes_id, operation.compensates_id) if pk]
    near = Q(supersedes=operation) | Q(compensates=operation) | Q(pk__in=older)
    return _held(Operation.objects.filter(near))


def sharing_reference(operation: Operation) -> Sequence[Held]:
    """Those of its environment and reference that are not linked to it: at most 12."""
    if not operation.reference:
        return []
    linked = [pk for pk in (operation.supersedes_id, operation.compensates_id) if pk]
    same = Operation.objects.filter(
        environment=operation.environment, reference=operation.reference
    ).exclude(pk__in=[operation.pk, *linked])
    return _held(same.exclude(supersedes=operation).exclude(compensates=operation))


def _held(rows: QuerySet[Operation]) -> list[Held]:
    late = Review.objects.filter(
        operation=OuterRef("pk"), question=Question.LATE_RECEIPT, closed_at=None
    )
    twin = Approval.objects.filter(
        operation=OuterRef("pk"),
        subject=ApprovalSubject.POSSIBLE_DUPLICATE,
        status=ApprovalStatus.OPEN,
    )
    found: Any = rows.only(*_COLUMNS).annotate(is_late=Exists(late), is_twin=Exists(twin))
    newest = found.order_by("-created_at")[:SHOWN]
    return [Held(row, row.is_late, row.is_twin) for row in newest]
