"""Requests for approval and proposals, as one person sees them: four lists, few queries."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import (
    Count,
    DateTimeField,
    Exists,
    Func,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    prefetch_related_objects,
)
from django.db.models.fields.tuple_lookups import Tuple, TupleGreaterThan
from django.db.models.functions import Left, Length

from operations.models import Approval, ApprovalDecision, Operation
from operations.protocol.refusals import NotFound
from operations.protocol.states import ApprovalStatus, ApprovalSubject
from operations.queries.environments import at_environment
from operations.queries.involvement import why_not
from operations.queries.operation_search import LARGE_COLUMNS
from operations.queries.places import RowPlace, page_of
from operations.roles import Ability, may, roles_of

# The two lists of the past are counted up to here; more is told as "1000+" by the page.
COUNTED = 1000
LIKE_DAYS = 30
PAYLOAD_START = 400


class ApprovalList(StrEnum):
    """Which requests: those I can answer, those that wait for others, and how the rest ended."""

    NEEDS_ME = "needs_me"
    WAITING = "waiting"
    DECIDED = "decided"
    EXPIRED = "expired"


DECIDED = (
    ApprovalStatus.GRANTED,
    ApprovalStatus.REJECTED,
    ApprovalStatus.WITHDRAWN,
    ApprovalStatus.VOIDED,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalCard:
    """One request as it reads at the page's clock.

    `status` reads `expired` before any sweep wrote it. `why_not` is "" for whoever may answer.
    `drift` says what differs between the request and what would be sent now, "" for nothing.
    `payload_start` holds at most 400 of the payload's `payload_length` characters. `like_it`
    counts how requests under the same policy ended in the last 30 days.
    """

    approval: Approval
    operation: Operation
    status: ApprovalStatus
    asked_by: str
    decisions: Sequence[ApprovalDecision]
    why_not: str
    drift: str
    payload_start: str
    payload_length: int
    like_it: Mapping[ApprovalStatus, int]

    @property
    def is_proposal(self) -> bool:
        """Whether it is about a choice of people, not about the operation itself."""
        return ApprovalSubject(self.approval.subject) is ApprovalSubject.PROPOSAL


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalsPage:
    """One page of one list as it reads at `now`; `after` is where the next one goes on, or None."""

    now: datetime
    cards: Sequence[ApprovalCard]
    after: RowPlace | None
    counts: Mapping[ApprovalList, int]


def approvals_page(
    user: User,
    wanted: ApprovalList,
    *,
    limit: int,
    now: datetime | None = None,
    after: RowPlace | None = None,
    environment: str = "",
) -> ApprovalsPage:
    """Open requests the oldest first, those that ended the newest first.

    Without `now` the page reads as of the database's clock.
    """
    at, counts = approval_counts(user, now=now, environment=environment)
    now = now or at
    found, place = _rows(user, wanted, now=now, limit=limit, after=after, environment=environment)
    prefetch_related_objects(found, _decisions())
    like_it = _ends_by_policy({row.policy_name for row in found if row.policy_name}, now)
    return ApprovalsPage(
        now=now,
        cards=[
            _card(row, user, now=now, like_it=like_it.get(row.policy_name, {})) for row in found
        ],
        after=place,
        counts=counts,
    )


def approval_card(approval_id: int, user: User, *, now: datetime) -> ApprovalCard:
    """One request, for the person who looks at it. Raises NotFound."""
    row = _loaded(Approval.objects.filter(pk=approval_id)).prefetch_related(_decisions()).first()
    if row is None:
        raise NotFound(what="request for approval", got=str(approval_id))
    like_it = _ends_by_policy({row.policy_name} if row.policy_name else set(), now)
    return _card(row, user, now=now, like_it=like_it.get(row.policy_name, {}))


def approval_counts(
    user: User, *, now: datetime | None = None, environment: str = ""
) -> tuple[datetime, dict[ApprovalList, int]]:
    """The database's clock, and how many each list holds: one query. The past stops at 1000."""
    at = now or Func(function="clock_timestamp", output_field=DateTimeField())
    mine, here = _answerable(user), _at(environment)
    over = Q(status=ApprovalStatus.EXPIRED) | Q(status=ApprovalStatus.OPEN, expires_at__lte=at)
    lists = {
        ApprovalList.NEEDS_ME: _in_force(at).filter(mine, here),
        ApprovalList.WAITING: _in_force(at).filter(~mine, here),
        ApprovalList.DECIDED: Approval.objects.filter(here, status__in=DECIDED)[:COUNTED],
        ApprovalList.EXPIRED: Approval.objects.filter(over, here)[:COUNTED],
    }
    selects: list[str] = []
    values: list[Any] = []
    for rows in lists.values():
        try:
            sql, parameters = rows.values("pk").query.sql_with_params()
        except EmptyResultSet:  # a person without a role can answer nothing
            selects.append("0")
        else:
            selects.append(f"(SELECT count(*) FROM ({sql}) AS list)")  # noqa: S608  the ORM's
            values += parameters
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT clock_timestamp(), {', '.join(selects)}", values)
        ((read_at, *counts),) = cursor.fetchall()
    return read_at, dict(zip(lists, counts, strict=True))


def _rows(
    user: User,
    wanted: ApprovalList,
    *,
    now: datetime,
    limit: int,
    after: RowPlace | None,
    environment: str,
) -> tuple[Sequence[Approval], RowPlace | None]:
    if wanted in (ApprovalList.NEEDS_ME, ApprovalList.WAITING):
        mine = _answerable(user)
        rows = _in_force(now).filter(mine if wanted is ApprovalList.NEEDS_ME else ~mine)
        return _oldest_first(_loaded(rows.filter(_at(environment))), after=after, limit=limit)
    statuses = DECIDED if wanted is ApprovalList.DECIDED else (ApprovalStatus.EXPIRED,)
    past = Approval.objects.filter(_at(environment), status__in=statuses)
    found, place = page_of(_loaded(past), by="decided_at", after=after, limit=limit)
    if wanted is ApprovalList.EXPIRED and after is None:
        # What no sweep has written yet stands above the rest, so that it is in one list all along.
        overdue = Approval.objects.filter(
            _at(environment), status=ApprovalStatus.OPEN, expires_at__lte=now
        )
        found = [*_loaded(overdue).order_by("expires_at")[:limit], *found]
    return found, place


def _oldest_first(
    rows: QuerySet[Approval], *, after: RowPlace | None, limit: int
) -> tuple[Sequence[Approval], RowPlace | None]:
    if after is not None:
        rows = rows.filter(TupleGreaterThan(Tuple("opened_at", "id"), (after.at, after.id)))
    found = list(rows.order_by("opened_at", "id")[: limit + 1])
    page = found[:limit]
    return page, RowPlace(page[-1].opened_at, page[-1].pk) if len(found) > limit else None


def _loaded(rows: QuerySet[Approval]) -> QuerySet[Approval]:
    left_out = tuple(f"operation__{column}" for column in LARGE_COLUMNS)
    related = ("operation", "operation__agent", "operation__requested_by", "requested_by")
    loaded = rows.select_related(*related).defer(*left_out)
    return loaded.annotate(
        payload_start=Left("operation__payload_text", PAYLOAD_START),
        payload_length=Length("operation__payload_text"),
    )


def _decisions() -> "Prefetch[Any]":
    return Prefetch(
        "decisions", ApprovalDecision.objects.select_related("person").order_by("at", "id")
    )


def _in_force(now: "datetime | Func[Any]") -> QuerySet[Approval]:
    return Approval.objects.filter(status=ApprovalStatus.OPEN, expires_at__gt=now)


def _at(environment: str) -> Q:
    return at_environment(environment, column="operation__environment")


def _answerable(user: User) -> Q:
    """What `why_not` says by hand, as a condition; a test holds one against the other."""
    is_proposal = Q(subject=ApprovalSubject.PROPOSAL)
    by_role = ~is_proposal & Q(role__in=[str(role) for role in roles_of(user)])
    if may(user, Ability.SECOND):
        by_role |= is_proposal
    had_a_part = (
        Q(excluded_ids__contains=[user.pk])
        | Q(requested_by=user.pk, requested_by__isnull=False)
        | Q(operation__requested_by=user.pk, operation__requested_by__isnull=False)
        | Q(operation__agent__responsible=user.pk, operation__agent__isnull=False)
    )
    answered = ApprovalDecision.objects.filter(approval=OuterRef("pk"), person=user.pk)
    return by_role & ~had_a_part & ~Q(Exists(answered))


def _ends_by_policy(names: set[str], now: datetime) -> dict[str, dict[ApprovalStatus, int]]:
    """How the requests under each policy ended lately: one query."""
    ended = Approval.objects.filter(
        policy_name__in=names,
        status__in=(ApprovalStatus.GRANTED, ApprovalStatus.REJECTED, ApprovalStatus.EXPIRED),
        decided_at__gte=now - timedelta(days=LIKE_DAYS),
    ).exclude(subject=ApprovalSubject.PROPOSAL)
    ends: dict[str, Counter[ApprovalStatus]] = {}
    counted = ended.order_by().values_list("policy_name", "status").annotate(n=Count("pk"))
    for name, status, count in counted:
        ends.setdefault(name, Counter())[ApprovalStatus(status)] += count
    return {name: dict(counts) for name, counts in ends.items()}


def _card(
    row: Approval, user: User, *, now: datetime, like_it: Mapping[ApprovalStatus, int]
) -> ApprovalCard:
    decisions = list(row.decisions.all())
    shown: Any = row  # with the columns that _loaded added
    is_over = row.status == ApprovalStatus.OPEN and row.expires_at <= now
    return ApprovalCard(
        approval=row,
        operation=row.operation,
        status=ApprovalStatus.EXPIRED if is_over else ApprovalStatus(row.status),
        asked_by=asked_by(row),
        decisions=decisions,
        why_not=why_not(
            row,
            row.operation,
            user,
            answered_ids={decision.person_id for decision in decisions},
            now=now,
        ),
        drift=drift_of(row),
        payload_start=shown.payload_start,
        payload_length=shown.payload_length,
        like_it=like_it,
    )


def asked_by(approval: Approval) -> str:
    """Who asked: the proposer, the agent, or the person who made the operation."""
    operation, person = approval.operation, approval.requested_by
    if approval.subject != ApprovalSubject.PROPOSAL and operation.agent is not None:
        return operation.agent.name
    return person.username if person is not None else "the system"


def drift_of(approval: Approval) -> str:
    """What differs between the request and what would be sent now; "" for nothing."""
    operation = approval.operation
    if approval.payload_digest != operation.payload_digest:
        return "the payload is another one now"
    if approval.request_digest != operation.request_digest:
        return "the request is another one now"
    return ""
