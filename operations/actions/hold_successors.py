"""A late receipt for an old key holds the operation that replaced it (rule 3)."""

from datetime import datetime

from operations.actions.open_review import open_review
from operations.actors import Actor
from operations.models import Operation, Receipt
from operations.protocol.states import OPEN_STATES, Question


def hold_successors(
    operation: Operation, receipt: Receipt, *, actor: Actor, at: datetime
) -> list[Operation]:
    """Open a review on each open operation that supersedes this one; its mark waits for a person.

    Locks the successors' rows after this operation's; a successor is always the younger row.
    """
    followers = Operation.objects.select_for_update(of=("self",)).filter(
        supersedes=operation, state__in=OPEN_STATES
    )
    held = list(followers.order_by("created_at"))
    for follower in held:
        open_review(
            follower,
            Question.LATE_RECEIPT,
            reason=f"{operation.key}, which this replaces, got a late receipt.",
            actor=actor,
            at=at,
            receipt=receipt,
        )
    return held
