"""Closing one review with a person's finding."""

from collections.abc import Mapping
from typing import Any

from operations.actions.apply_event import record_change
from operations.actions.begin_decision import Begun, basis
from operations.models import Review
from operations.protocol.states import Finding


def mark_closed(begun: Begun, review: Review, *, finding: Finding, reason: str) -> None:
    """The finding on the review itself; the caller writes the entry of what it did."""
    review.closed_at, review.finding, review.closing_reason = begun.at, str(finding), reason
    review.closed_by = begun.user
    review.save(update_fields=["closed_at", "finding", "closing_reason", "closed_by"])


def close_review(
    begun: Begun,
    review: Review,
    *,
    finding: Finding,
    reason: str,
    changes: Mapping[str, Any] | None = None,
) -> None:
    """Close it, with `changes` to the operation's columns, in one entry; the state stays."""
    mark_closed(begun, review, finding=finding, reason=reason)
    record_change(
        begun.operation,
        "settle_review",
        actor=begun.actor,
        at=begun.at,
        changes=changes,
        reason=reason,
        detail={
            **basis(begun),
            "review": review.pk,
            "question": review.question,
            "finding": str(finding),
            "receipt": review.receipt_id,
        },
    )
