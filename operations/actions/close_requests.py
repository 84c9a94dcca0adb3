"""Closing approval requests and proposals that have nothing left to decide."""

from datetime import datetime

from operations.models import Approval, Operation
from operations.protocol.states import ApprovalStatus, ApprovalSubject


def void_requests(operation: Operation, *, at: datetime) -> int:
    """Void every open request and proposal of a settled operation; returns how many."""
    open_ones = operation.approvals.filter(status=ApprovalStatus.OPEN)
    return open_ones.update(status=ApprovalStatus.VOIDED, decided_at=at)


def void_stale_proposals(operation: Operation, *, at: datetime) -> list[Approval]:
    """Void proposals made under an older version: what the proposer saw is no longer so."""
    proposals = operation.approvals.filter(
        status=ApprovalStatus.OPEN, subject=ApprovalSubject.PROPOSAL
    ).exclude(version_seen=operation.version)
    voided = list(proposals)
    proposals.update(status=ApprovalStatus.VOIDED, decided_at=at)
    return voided
