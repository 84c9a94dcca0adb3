"""Everything that the page of one operation shows: a bounded number of queries and of rows."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Prefetch, Q

from operations import clock
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
from operations.protocol.choices import Choice, Facts, as_read, choices
from operations.protocol.profiles import Profile
from operations.protocol.queues import QueueFacts, queue
from operations.protocol.refusals import NotFound, UnknownReceiver
from operations.protocol.states import LookupResult, Queue
from operations.queries.changes import agent_names
from operations.queries.facts import facts_of
from operations.registry import receiver

# The newest of each sort are shown; how many there are in all is counted apart.
RECEIPTS, LOOKUPS, CLAIMS, ENTRIES, NOTES, APPROVALS, RELATED = 20, 50, 50, 120, 50, 20, 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Dossier:
    """One operation as it reads at `now`, with its evidence.

    Attempts, reviews and entries are the oldest first, everything else the newest first. The row
    was read first, so what stands beside a version may be newer than it, never older.
    """

    operation: Operation
    facts: Facts
    profile: Profile
    is_configured: bool
    now: datetime
    choices: Sequence[Choice]
    attempts: Sequence[Attempt]
    claims: Sequence[Claim]
    receipts: Sequence[Receipt]
    lookups: Sequence[Lookup]
    lookup_counts: Mapping[LookupResult, int]
    reviews: Sequence[Review]
    approvals: Sequence[Approval]
    entries: Sequence[AuditEntry]
    entry_count: int
    agents: Mapping[str, str]
    notes: Sequence[Note]
    related: Sequence[Operation]

    @property
    def queue(self) -> Queue:
        """The one queue in which it is visible (rule 15)."""
        return queue(QueueFacts.of(self.facts), self.now)


def dossier_of(operation_id: UUID, *, viewer: str) -> Dossier:
    """Read now for the person `viewer`. Raises NotFound."""
    people = ("agent", "requested_by", "review_holder", "supersedes", "compensates")
    operation = Operation.objects.select_related(*people).filter(pk=operation_id).first()
    if operation is None:
        raise NotFound(what="operation", got=str(operation_id))
    facts = facts_of(operation, viewer=viewer)
    now = clock.now()
    profile, is_configured = profile_of(operation)
    entries = _entries(operation)
    return Dossier(
        operation=operation,
        facts=as_read(facts, now),
        profile=profile,
        is_configured=is_configured,
        now=now,
        choices=choices(facts, profile, now),
        attempts=_attempts(operation),
        claims=list(operation.claims.order_by("-token")[:CLAIMS]),
        receipts=_receipts(operation),
        lookups=list(operation.lookups.order_by("-asked_at")[:LOOKUPS]),
        lookup_counts=_lookup_counts(operation),
        reviews=list(
            operation.reviews.filter(closed_at=None).select_related("receipt").order_by("opened_at")
        ),
        approvals=_approvals(operation),
        entries=entries,
        entry_count=entries[-1].seq if entries else 0,
        agents=agent_names(entries),
        notes=list(operation.notes.select_related("person").order_by("-at")[:NOTES]),
        related=_related(operation),
    )


def profile_of(operation: Operation) -> tuple[Profile, bool]:
    """The receiver's profile; one that promises nothing where it is not configured any more."""
    try:
        return receiver(operation.receiver, operation.environment).profile, True
    except UnknownReceiver:
        return Profile(receiver=operation.receiver, connector=""), False


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
