"""Everything that the page of one operation shows: a bounded number of queries and of rows."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Prefetch, Q

from operations.models import (
    Approval,
    ApprovalDecision,
    Attempt,
    AttemptEnd,
    AuditEntry,
    Claim,
    Lookup,
    Note,
    Operation,
    Receipt,
    Review,
    SenderGone,
)
from operations.protocol.choices import Choice, Facts, choices
from operations.protocol.profiles import Profile
from operations.protocol.states import LookupResult
from operations.queries.changes import agent_names
from operations.queries.head import Head, head_of

# The newest of each sort are shown; the head counts them all.
RECEIPTS, LOOKUPS, CLAIMS, ENTRIES, NOTES, APPROVALS, RELATED = 20, 15, 15, 200, 50, 20, 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Dossier:
    """One operation with its evidence and what a person may do.

    Attempts, reviews and entries are the oldest first, everything else the newest first.
    """

    head: Head
    choices: Sequence[Choice]
    attempts: Sequence[Attempt]
    claims: Sequence[Claim]
    receipts: Sequence[Receipt]
    lookups: Sequence[Lookup]
    lookup_counts: Mapping[LookupResult, int]
    reviews: Sequence[Review]
    approvals: Sequence[Approval]
    entries: Sequence[AuditEntry]
    agents: Mapping[str, str]
    notes: Sequence[Note]
    related: Sequence[Operation]

    @property
    def operation(self) -> Operation:
        """The row, as it was read first."""
        return self.head.operation

    @property
    def facts(self) -> Facts:
        """The facts as they read at `now`."""
        return self.head.facts

    @property
    def profile(self) -> Profile:
        """What the receiver guarantees."""
        return self.head.profile

    @property
    def now(self) -> datetime:
        """The database's clock at the reading."""
        return self.head.now


def dossier_of(operation_id: UUID, *, viewer: str) -> Dossier:
    """Read now for the person `viewer`. Raises NotFound."""
    head = head_of(operation_id, viewer=viewer)
    operation = head.operation
    entries = _entries(operation)
    open_reviews = operation.reviews.filter(closed_at=None).select_related("receipt")
    return Dossier(
        head=head,
        choices=choices(head.read, head.profile, head.now),
        attempts=_attempts(operation),
        claims=list(operation.claims.order_by("-token")[:CLAIMS]),
        receipts=_receipts(operation),
        lookups=list(operation.lookups.order_by("-asked_at")[:LOOKUPS]),
        lookup_counts=_lookup_counts(operation),
        reviews=list(open_reviews.order_by("opened_at")),
        approvals=_approvals(operation),
        entries=entries,
        agents=agent_names(entries),
        notes=list(operation.notes.select_related("person").order_by("-at")[:NOTES]),
        related=_related(operation),
    )


def _attempts(operation: Operation) -> list[Attempt]:
    ends = AttemptEnd.objects.select_related("explanation").order_by("at")
    gone = SenderGone.objects.select_related("person").order_by("at")
    found = operation.attempts.select_related("approval").order_by("generation")
    return list(
        found.prefetch_related(Prefetch("ends", queryset=ends), Prefetch("gone_records", gone))
    )


def _receipts(operation: Operation) -> list[Receipt]:
    found = operation.receipts.select_related("explanation", "entered_by", "reported_by_agent")
    return list(found.order_by("-received_at", "-id")[:RECEIPTS])


def _lookup_counts(operation: Operation) -> Mapping[LookupResult, int]:
    counted = operation.lookups.order_by().values_list("result").annotate(n=Count("pk"))
    counts = Counter({LookupResult(result): count for result, count in counted})
    return {result: counts[result] for result in LookupResult}


def _approvals(operation: Operation) -> list[Approval]:
    decisions = ApprovalDecision.objects.select_related("person").order_by("at")
    found = operation.approvals.select_related("requested_by").order_by("-id")
    return list(found.prefetch_related(Prefetch("decisions", queryset=decisions))[:APPROVALS])


def _entries(operation: Operation) -> list[AuditEntry]:
    found = operation.audit_entries.select_related("words")  # each knows its operation already
    return list(found.order_by("-id")[:ENTRIES])[::-1]


def _related(operation: Operation) -> list[Operation]:
    """What may be waiting for this one: the same reference, and what is linked to it."""
    near = Q(supersedes=operation) | Q(compensates=operation)
    near |= Q(pk__in=[pk for pk in (operation.supersedes_id, operation.compensates_id) if pk])
    if operation.reference:
        near |= Q(environment=operation.environment, reference=operation.reference)
    found = (
        Operation.objects.filter(near)
        .exclude(pk=operation.pk)
        .only(
            "id",
            "key",
            "title",
            "state",
            "grade",
            "reference",
            "environment",
            "supersedes_id",
            "compensates_id",
        )
    )
    return list(found.order_by("-created_at")[:RELATED])
