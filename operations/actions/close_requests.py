"""Closing approval requests and proposals that have nothing left to decide.

A proposal that a new version outdates is voided by the database itself.
"""

from datetime import datetime

from operations.models import Operation
from operations.protocol.states import ApprovalStatus


def void_requests(operation: Operation, *, at: datetime) -> int:
    """Void every open request and proposal of a settled operation; returns how many."""
    open_ones = operation.approvals.filter(status=ApprovalStatus.OPEN)
    return open_ones.update(status=ApprovalStatus.VOIDED, decided_at=at)
