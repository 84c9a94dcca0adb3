"""Everything that the page of one operation shows: a bounded number of queries and of rows."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from uuid import UUID

from django.db.models import Count, Prefetch

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
from operations.queries.related import Held, linked_to, sharing_reference

# The newest of each sort are shown; the head counts them all.
RECEIPTS, LOOKUPS, CLAIMS, ENTRIES, NOTES, APPROVALS = 20, 15, 15, 200, 50, 20


@dataclass(frozen=True, kw_only=True)
class Dossier:
    """One operation with its evidence and what a person may do.

    Each sort of evidence is read when it is asked for, once: the page shows all of it, a form that
    is sent needs little. Attempts, reviews and entries are the oldest first, everything else the
    newest first.
    """

    head: Head

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
        """The database's clock at the reading of the head."""
        return self.head.now

    @cached_property
    def choices(self) -> Sequence[Choice]:
        """What this person may do, and why the rest is closed."""
        return choices(self.head.read, self.head.profile, self.head.now)

    @cached_property
    def attempts(self) -> Sequence[Attempt]:
        """All attempts, each with its ends and the records that its process is gone."""
        ends = AttemptEnd.objects.select_related("explanation").order_by("at")
        gone = SenderGone.objects.select_related("person").order_by("at")
        found = self.operation.attempts.select_related("approval").order_by("generation")
        return list(
            found.prefetch_related(Prefetch("ends", queryset=ends), Prefetch("gone_records", gone))
        )

    @cached_property
    def claims(self) -> Sequence[Claim]:
        """The latest 15 claims of either slot."""
        return list(self.operation.claims.order_by("-token")[:CLAIMS])

    @cached_property
    def receipts(self) -> Sequence[Receipt]:
        """The latest 20 receipts."""
        found = self.operation.receipts.select_related(
            "explanation", "entered_by", "reported_by_agent"
        )
        return list(found.order_by("-received_at", "-id")[:RECEIPTS])

    @cached_property
    def lookups(self) -> Sequence[Lookup]:
        """The latest 15 look-ups."""
        return list(self.operation.lookups.order_by("-asked_at")[:LOOKUPS])

    @cached_property
    def lookup_counts(self) -> Mapping[LookupResult, int]:
        """How many look-ups had each result, none left out."""
        counted = self.operation.lookups.order_by().values_list("result").annotate(n=Count("pk"))
        counts = Counter({LookupResult(result): count for result, count in counted})
        return {result: counts[result] for result in LookupResult}

    @cached_property
    def reviews(self) -> Sequence[Review]:
        """The open reviews."""
        found = self.operation.reviews.filter(closed_at=None).select_related("receipt")
        return list(found.order_by("opened_at"))

    @cached_property
    def approvals(self) -> Sequence[Approval]:
        """The latest 20 requests and proposals, with their decisions."""
        decisions = ApprovalDecision.objects.select_related("person").order_by("at")
        found = self.operation.approvals.select_related("requested_by").order_by("-id")
        return list(found.prefetch_related(Prefetch("decisions", decisions))[:APPROVALS])

    @cached_property
    def entries(self) -> Sequence[AuditEntry]:
        """The latest 200 entries of its trail."""
        found = self.operation.audit_entries.select_related("words")
        return list(found.order_by("-id")[:ENTRIES])[::-1]

    @cached_property
    def agents(self) -> Mapping[str, str]:
        """The names of the agents in `entries`, by id as text."""
        return agent_names(self.entries)

    @cached_property
    def notes(self) -> Sequence[Note]:
        """The latest 50 notes."""
        return list(self.operation.notes.select_related("person").order_by("-at")[:NOTES])

    @cached_property
    def linked(self) -> Sequence[Held]:
        """What it supersedes or compensates, and what does so to it: the latest 12."""
        return linked_to(self.operation)

    @cached_property
    def of_reference(self) -> Sequence[Held]:
        """The latest 12 others of the same environment and reference that no link ties to it."""
        return sharing_reference(self.operation)


def dossier_of(operation_id: UUID, *, viewer: str) -> Dossier:
    """The head read now for the person `viewer`, the evidence when it is asked for, so that it may
    be newer than the head and never older. Raises NotFound.
    """
    return Dossier(head=head_of(operation_id, viewer=viewer))
