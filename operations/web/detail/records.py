"""Approvals and audit entries as their sections show them, and whether the trail holds."""

from collections.abc import Sequence
from dataclasses import dataclass

from operations.models import Approval, ApprovalDecision
from operations.protocol.states import ApprovalStatus
from operations.queries.audit_proof import prove_operation
from operations.queries.dossier import Dossier
from operations.web.audit_rows import AuditRow, audit_rows

# Longer trails are recomputed by `manage.py verify_audit`, not while a page waits.
LONGEST_PROOF = 400
ENTRIES_SHOWN = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRow:
    """One request with its answers; `status` as it reads now, before any sweep wrote it."""

    approval: Approval
    status: ApprovalStatus
    decisions: Sequence[ApprovalDecision]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """What was recomputed just now. `words` say so; `is_whole` is None where it was not done."""

    is_whole: bool | None
    words: str


def approval_rows(dossier: Dossier) -> list[ApprovalRow]:
    """The requests that are shown, the newest first."""
    return [
        ApprovalRow(
            approval=row, status=status_at(row, dossier), decisions=list(row.decisions.all())
        )
        for row in dossier.approvals
    ]


def status_at(approval: Approval, dossier: Dossier) -> ApprovalStatus:
    """An open request whose time is over reads expired."""
    is_overdue = approval.status == ApprovalStatus.OPEN and approval.expires_at <= dossier.now
    return ApprovalStatus.EXPIRED if is_overdue else ApprovalStatus(approval.status)


def entry_rows(dossier: Dossier) -> list[AuditRow]:
    """The newest audit entries; the page of the trail has them all."""
    return audit_rows(dossier.entries[::-1][:ENTRIES_SHOWN])


def chain_of(dossier: Dossier) -> Chain:
    """The operation's trail, recomputed from its first entry on."""
    count = dossier.entries[-1].seq if dossier.entries else 0
    if count > LONGEST_PROOF:
        return Chain(is_whole=None, words=f"{count} entries, not recomputed here")
    proof = prove_operation(dossier.operation.pk)
    if proof.is_whole:
        return Chain(is_whole=True, words=f"chain verified up to {proof.entry_count}")
    fault = proof.faults[0]
    return Chain(is_whole=False, words=f"chain broken at {fault.seq}: {fault.reason}")
