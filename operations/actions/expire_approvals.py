"""The sweep over requests and proposals whose time is over; reading them told so before."""

from uuid import UUID

from django.db import transaction

from operations import clock
from operations.actions.approval_expiry import is_overdue, write_expiry
from operations.actors import Actor
from operations.models import Approval, Operation
from operations.protocol.states import ApprovalStatus

SWEEP = Actor.system("sweep")


def expire_approvals(*, limit: int) -> int:
    """Write the expiry of at most `limit` overdue requests; returns how many.

    Each in its own transaction; an operation that somebody is busy with is left for the next run.
    """
    overdue = Approval.objects.filter(status=ApprovalStatus.OPEN, expires_at__lte=clock.now())
    found = overdue.order_by("expires_at").values_list("pk", "operation_id")[:limit]
    return sum(_expire(approval_id, operation_id) for approval_id, operation_id in found)


@transaction.atomic
def _expire(approval_id: int, operation_id: UUID) -> bool:
    free = Operation.objects.select_for_update(of=("self",), skip_locked=True)
    operation = free.filter(pk=operation_id).first()
    if operation is None:
        return False
    at = clock.now()
    approval = Approval.objects.select_for_update(of=("self",)).get(pk=approval_id)
    if not is_overdue(approval, at):
        return False
    write_expiry(approval, operation, actor=SWEEP, at=at)
    return True
