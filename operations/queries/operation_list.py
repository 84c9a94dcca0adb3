"""Lists of operations, page by page, by (created_at, id)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists, Func, OuterRef, Q, QuerySet
from django.db.models.fields import DateTimeField
from django.db.models.fields.tuple_lookups import Tuple, TupleGreaterThan

from operations.models import Approval, Attempt, Operation
from operations.protocol.states import ApprovalStatus, ApprovalSubject, State


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A position in the order: the last row of a page."""

    created_at: datetime
    id: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationFilter:
    """Which operations of one agent. Empty tuples and empty text do not narrow the list."""

    agent_id: int
    environments: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    receivers: tuple[str, ...] = ()
    key: str = ""
    state: State | None = None

    def identity(self) -> list[Any]:
        """What makes two lists the same list."""
        return [
            self.agent_id,
            list(self.environments),
            list(self.kinds),
            list(self.receivers),
            self.key,
            str(self.state or ""),
        ]


def operations_page(
    wanted: OperationFilter, *, after: Place | None, limit: int
) -> tuple[Sequence[Operation], Place | None]:
    """At most `limit` operations behind `after`, and the place to go on from.

    None ends the list; a page that is full may be followed by an empty one.
    """
    rows = _narrowed(wanted)
    if after is not None:
        rows = rows.filter(
            TupleGreaterThan(Tuple("created_at", "id"), (after.created_at, after.id))
        )
    page = list(rows.select_related("review_holder").order_by("created_at", "id")[:limit])
    if len(page) < limit:
        return page, None
    return page, Place(created_at=page[-1].created_at, id=page[-1].pk)


def _narrowed(wanted: OperationFilter) -> QuerySet[Operation]:
    rows = Operation.objects.filter(agent_id=wanted.agent_id)
    for column, words in (
        ("environment", wanted.environments),
        ("kind", wanted.kinds),
        ("receiver", wanted.receivers),
    ):
        if words:
            rows = rows.filter(**{f"{column}__in": words})
    if wanted.key:
        rows = rows.filter(key=wanted.key)
    return rows if wanted.state is None else rows.filter(reads_as(wanted.state))


def reads_as(state: State) -> Q:
    """The operations that read so now: an overdue request counts before any sweep wrote it."""
    is_overdue = Q(state=State.AWAITING_APPROVAL) & Q(Exists(_overdue_requests()))
    has_attempt = Q(Exists(Attempt.objects.filter(operation=OuterRef("pk"))))
    if state == State.AWAITING_APPROVAL:
        return Q(state=state) & ~Q(Exists(_overdue_requests()))
    if state == State.CANCELLED:
        return Q(state=state) | (is_overdue & ~has_attempt)
    if state == State.SENT_UNKNOWN:
        return Q(state=state) | (is_overdue & has_attempt)
    return Q(state=state)


def _overdue_requests() -> QuerySet[Approval]:
    clock = Func(function="clock_timestamp", output_field=DateTimeField())
    requests = Approval.objects.filter(
        operation=OuterRef("pk"), status=ApprovalStatus.OPEN, expires_at__lte=clock
    )
    return requests.exclude(subject=ApprovalSubject.PROPOSAL)
