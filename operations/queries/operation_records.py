"""One operation, or many, with all that a reader of the API is told about it."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from operations.clock import now as clock_now
from operations.models import Approval, Attempt, Lookup, Operation, Receipt
from operations.protocol.choices import Facts, NextAction, as_read, next_action
from operations.protocol.profiles import Profile
from operations.protocol.states import ApprovalStatus, ApprovalSubject
from operations.queries.facts import facts_of_many
from operations.registry import profile_of


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationRecord:
    """An operation as it reads at `now`: an overdue request for approval reads expired.

    `approval` is the newest request for the operation itself. `superseded_by` and
    `compensated_by` are the operations that follow it.
    """

    operation: Operation
    facts: Facts
    profile: Profile
    next_action: NextAction
    approval: Approval | None
    superseded_by: tuple[UUID, ...] = ()
    compensated_by: tuple[UUID, ...] = ()
    now: datetime

    @property
    def approval_status(self) -> ApprovalStatus | None:
        """The request's status as it reads now."""
        return self.facts.approval_status if self.approval else None


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationHistory:
    """The evidence of one operation, oldest first; the latest lookups only."""

    attempts: Sequence[Attempt] = ()
    receipts: Sequence[Receipt] = ()
    lookups: Sequence[Lookup] = field(default_factory=tuple)


def record_of(operation: Operation) -> OperationRecord:
    """The record of one operation, which was read just before."""
    return records_of([operation])[0]


def records_of(operations: Sequence[Operation]) -> list[OperationRecord]:
    """Records in the same order; a fixed number of queries, however many there are.

    The rows were read first, so what is told beside a version may be newer than it, never older.
    """
    if not operations:
        return []
    ids = [operation.pk for operation in operations]
    facts, approvals = facts_of_many(operations), _latest_requests(ids)
    superseded, compensated = _followers(ids)
    now = clock_now()
    return [
        _record(
            operation,
            facts[operation.pk],
            approval=approvals.get(operation.pk),
            superseded_by=tuple(superseded[operation.pk]),
            compensated_by=tuple(compensated[operation.pk]),
            now=now,
        )
        for operation in operations
    ]


def history_of(operation: Operation, *, lookups: int = 0) -> OperationHistory:
    """Attempts with their ends, receipts, and the latest `lookups` lookups."""
    return OperationHistory(
        attempts=list(operation.attempts.prefetch_related("ends").order_by("generation")),
        receipts=list(
            operation.receipts.select_related("explanation").defer("raw").order_by("received_at")
        ),
        lookups=list(operation.lookups.defer("raw").order_by("-asked_at")[:lookups])[::-1],
    )


def _record(
    operation: Operation,
    facts: Facts,
    *,
    approval: Approval | None,
    superseded_by: tuple[UUID, ...],
    compensated_by: tuple[UUID, ...],
    now: datetime,
) -> OperationRecord:
    profile = profile_of(operation)
    return OperationRecord(
        operation=operation,
        facts=as_read(facts, now),
        profile=profile,
        next_action=next_action(facts, profile, now),
        approval=approval,
        superseded_by=superseded_by,
        compensated_by=compensated_by,
        now=now,
    )


def _latest_requests(ids: Iterable[UUID]) -> dict[UUID, Approval]:
    requests = Approval.objects.filter(operation__in=list(ids)).exclude(
        subject=ApprovalSubject.PROPOSAL
    )
    return {row.operation_id: row for row in requests.order_by("id")}


def _followers(ids: list[UUID]) -> tuple[dict[UUID, list[UUID]], dict[UUID, list[UUID]]]:
    superseded: dict[UUID, list[UUID]] = defaultdict(list)
    compensated: dict[UUID, list[UUID]] = defaultdict(list)
    rows = Operation.objects.filter(Q(supersedes__in=ids) | Q(compensates__in=ids))
    for pk, old, undone in rows.order_by("created_at").values_list(
        "pk", "supersedes", "compensates"
    ):
        if old is not None:
            superseded[old].append(pk)
        if undone is not None:
            compensated[undone].append(pk)
    return superseded, compensated
