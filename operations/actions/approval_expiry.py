"""A request for approval that nobody answered in time is over; this writes it down (section 6)."""

from datetime import datetime

from operations import clock
from operations.actions.apply_event import apply_event, record_change
from operations.actions.settle import close_what_settling_answers
from operations.actions.turn_back import turn_back
from operations.actors import Actor
from operations.models import Approval, Operation
from operations.protocol.states import ApprovalStatus, ApprovalSubject, Cause, State
from operations.protocol.transitions import Event


def is_overdue(approval: Approval, at: datetime) -> bool:
    """Whether the request is open on paper only."""
    return approval.status == ApprovalStatus.OPEN and approval.expires_at <= at


def write_expiry(approval: Approval, operation: Operation, *, actor: Actor, at: datetime) -> None:
    """`expired`, and with it `cancelled`, cause expired, or back to `sent_unknown`.

    Needs the operation's row lock and an overdue request. A proposal changes no state.
    """
    approval.status, approval.decided_at = str(ApprovalStatus.EXPIRED), at
    approval.save(update_fields=["status", "decided_at"])
    detail = {"approval": approval.pk, "expires_at": approval.expires_at.isoformat()}
    if approval.subject == ApprovalSubject.PROPOSAL:
        detail["choice"] = approval.choice
        record_change(operation, "expire_proposal", actor=actor, at=at, detail=detail)
    elif operation.state == State.AWAITING_APPROVAL:
        end_without_yes(operation, Cause.EXPIRED, actor=actor, at=at, detail=detail)
    else:
        record_change(operation, "expire_approval", actor=actor, at=at, detail=detail)


def end_without_yes(
    operation: Operation,
    cause: Cause,
    *,
    actor: Actor,
    at: datetime,
    detail: dict[str, object],
    reason: str = "",
) -> None:
    """From `awaiting_approval`: `cancelled` with this cause, or `sent_unknown` after an attempt.

    "Never sent" can only be said without one (section 2).
    """
    if operation.attempts.exists():
        said = {**detail, "why": str(cause)}
        turn_back(operation, actor=actor, at=at, reason=reason, detail=said)
        return
    apply_event(
        operation,
        Event.CANCEL,
        actor=actor,
        at=at,
        changes={"cause": str(cause), "next_try_at": None},
        reason=reason,
        detail=detail,
    )
    close_what_settling_answers(operation, actor=actor, at=at)


def expire_overdue_request(operation: Operation) -> None:
    """Write the expiry of a request that is over, so that an act meets what everybody reads.

    Needs the operation's row lock; only one that waits for approval is asked about.
    """
    if operation.state == State.AWAITING_APPROVAL:
        expire_overdue(operation, at=clock.now())


def expire_overdue(operation: Operation, *, at: datetime) -> None:
    """Write the expiry of an open request or proposal that is over: it closes no choice."""
    for asked in operation.approvals.filter(status=ApprovalStatus.OPEN, expires_at__lte=at):
        write_expiry(asked, operation, actor=Actor.system("clock"), at=at)
