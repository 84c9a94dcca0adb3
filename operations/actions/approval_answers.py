"""One person's answer to one request: who may give it, and writing it down."""

from datetime import datetime, timedelta

from django.contrib.auth.models import User

from operations.actions.begin_decision import Begun
from operations.models import Approval, ApprovalDecision, Operation
from operations.protocol.refusals import AlreadyDecided, OwnRequest
from operations.protocol.states import ApprovalStatus
from operations.queries.involvement import part_in

# Who ended a request that no person answered.
_ENDED_BY = {
    ApprovalStatus.EXPIRED: "its time limit",
    ApprovalStatus.VOIDED: "a change of the operation",
    ApprovalStatus.WITHDRAWN: "whoever asked",
}


def lock_approval(approval_id: int) -> Approval:
    """The request, read under its operation's row lock."""
    return Approval.objects.select_for_update(of=("self",)).get(pk=approval_id)


def require_other_person(approval: Approval, operation: Operation, user: User) -> None:
    """Rule 13. Raises OwnRequest for whoever had a part in the request or proposed it."""
    part = part_in(approval, operation, user)
    if part is not None:
        raise OwnRequest(got=part)


def require_open(approval: Approval, user: User) -> None:
    """Raises AlreadyDecided, naming whose answer came first and when."""
    mine = approval.decisions.filter(person=user).first()
    if approval.status == ApprovalStatus.OPEN and mine is None:
        return
    if mine is not None and approval.status == ApprovalStatus.OPEN:
        answer = "approved by you already" if mine.is_yes else "rejected by you already"
        raise AlreadyDecided(status=answer, by=user.username, since=mine.at)
    raise already_decided(approval)


def already_decided(approval: Approval) -> AlreadyDecided:
    """The refusal that names the decision that counts."""
    last = approval.decisions.select_related("person").order_by("-at", "-id").first()
    by = _ENDED_BY.get(ApprovalStatus(approval.status))
    if by is None:
        by = last.person.username if last else "someone"
    return AlreadyDecided(
        status=approval.status, by=by, since=approval.decided_at or (last.at if last else None)
    )


def write_answer(begun: Begun, approval: Approval, *, is_yes: bool, reason: str) -> None:
    """The answer, and what it makes of the request: more to come, granted or rejected."""
    at = begun.at
    ApprovalDecision.objects.create(
        approval=approval,
        person=begun.user,
        is_yes=is_yes,
        reason=reason,
        payload_digest_seen=approval.payload_digest,
        at=at,
    )
    if is_yes:
        approval.given += 1
    if not is_yes:
        _end(approval, ApprovalStatus.REJECTED, at)
    elif approval.given >= approval.needed:
        _end(approval, ApprovalStatus.GRANTED, at)
        approval.valid_until = at + timedelta(seconds=approval.yes_lives_seconds)
    approval.save(update_fields=["given", "status", "decided_at", "valid_until"])


def _end(approval: Approval, status: ApprovalStatus, at: datetime) -> None:
    approval.status, approval.decided_at = str(status), at
