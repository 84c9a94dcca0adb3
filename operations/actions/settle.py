"""What every settling does besides the event itself."""

from datetime import datetime

from operations.actions.close_requests import void_requests
from operations.actions.open_review import ANSWERED_BY_SETTLING, close_reviews
from operations.actors import Actor
from operations.models import Operation
from operations.protocol.states import Finding


def close_what_settling_answers(operation: Operation, *, actor: Actor, at: datetime) -> None:
    """Close `unknown_outcome` and `stalled`, and void requests that have nothing to decide.

    Other reviews stay open (section 6). Call it right after apply_event.
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
