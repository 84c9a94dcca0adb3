"""Who had a part in a request, and why a person may not answer one (rule 13)."""

from collections.abc import Iterable
from datetime import datetime

from django.contrib.auth.models import User

from operations.models import Approval, Operation
from operations.protocol.states import ApprovalStatus, ApprovalSubject
from operations.roles import ALLOWED, Ability, may, roles_of


def involved(operation: Operation) -> dict[int, str]:
    """Who had a part in the request, and which: requester and the agent's responsible person."""
    people: dict[int, str] = {}
    if operation.agent is not None:
        people[operation.agent.responsible_id] = "the responsible person"
    if operation.requested_by_id is not None:
        people[operation.requested_by_id] = "the requester"
    return people


def part_in(approval: Approval, operation: Operation, user: User) -> str | None:
    """What makes this person one of those who asked, or None for somebody else."""
    part = involved(operation).get(user.pk)
    if part is None and approval.requested_by_id == user.pk:
        part = "the proposer"
    if part is None and user.pk in approval.excluded_ids:
        part = "one of those who asked for an earlier round"
    return part


def why_not(
    approval: Approval,
    operation: Operation,
    user: User,
    *,
    answered_ids: Iterable[int],
    now: datetime,
) -> str:
    """Why this person can't answer the request at `now`, in a sentence; "" when they can.

    The page says it before the press; the action judges again, under the lock.
    """
    if approval.status != ApprovalStatus.OPEN:
        return f"It is {approval.status}."
    if approval.expires_at <= now:
        return "Its time is over, and it takes no answer."
    part = part_in(approval, operation, user)
    if part is not None:
        return f"You are {part}: nobody decides on their own request."
    if user.pk in answered_ids:
        return "You have answered; it waits for others."
    return _role_missing(approval, user)


def _role_missing(approval: Approval, user: User) -> str:
    if approval.subject == ApprovalSubject.PROPOSAL:
        needs = " or ".join(sorted(ALLOWED[Ability.SECOND]))
        return "" if may(user, Ability.SECOND) else f"It takes the role {needs}."
    return "" if approval.role in roles_of(user) else f"It takes the role {approval.role}."
