"""A lookup that can't be made, or not be written down, is shown to a person and put off."""

from datetime import datetime, timedelta
from uuid import UUID

from operations import clock
from operations.actions.apply_event import lock_operation, record_change
from operations.actions.open_review import open_review
from operations.actors import Actor
from operations.models import Operation
from operations.protocol.states import Question

RETRY_SECONDS = 300


def stall_lookup(*, operation_id: UUID, why: str, actor: Actor) -> None:
    """Open `stalled` with the reason, and try again later, in the caller's transaction."""
    operation = lock_operation(operation_id)
    now = clock.now()
    schedule_lookup(
        operation, actor=actor, at=now, next_try_at=now + timedelta(seconds=RETRY_SECONDS)
    )
    open_review(operation, Question.STALLED, reason=why, actor=actor, at=now)


def schedule_lookup(
    operation: Operation, *, actor: Actor, at: datetime, next_try_at: datetime | None
) -> None:
    """Due at that time, or at none."""
    record_change(
        operation,
        "schedule_lookup",
        actor=actor,
        at=at,
        changes={"next_try_at": next_try_at},
        bumps_version=False,
        detail={"next_try_at": next_try_at.isoformat() if next_try_at else None},
    )
