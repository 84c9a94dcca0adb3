"""Back to `sent_unknown`: something may have been sent, and what allowed one more send is gone."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from operations import hints
from operations.actions.apply_event import apply_event
from operations.actions.close_requests import void_requests
from operations.actions.take_slot import end_claim
from operations.actors import Actor
from operations.models import Operation
from operations.protocol.states import ClaimEnd
from operations.protocol.transitions import Event


def turn_back(
    operation: Operation,
    *,
    actor: Actor,
    at: datetime,
    detail: Mapping[str, Any],
    reason: str = "",
    token: int | None = None,
) -> None:
    """From `ready` or `awaiting_approval`, with an attempt on record; a lookup is due at once.

    The dispatch claim is void, and so is what is still asked of people for the send.
    """
    end_claim(operation, end=ClaimEnd.VOIDED, at=at)
    apply_event(
        operation,
        Event.TURN_BACK,
        actor=actor,
        at=at,
        changes={"claim_given_back": True, "next_try_at": at},
        token=token,
        reason=reason,
        detail=detail,
    )
    void_requests(operation, at=at)
    hints.reconcile_soon(operation.pk)
