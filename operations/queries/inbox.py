"""What only people can settle: open reviews, oldest first, and what all of it comes to."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db import connection
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.fields.tuple_lookups import Tuple, TupleGreaterThan

from operations.models import Approval, Operation, Review
from operations.protocol.states import (
    OPEN_STATES,
    ApprovalStatus,
    ApprovalSubject,
    Question,
    Queue,
    State,
)
from operations.queries.environments import at_environment, scope_of
from operations.queries.operation_search import LARGE_COLUMNS, effect_count, request_count
from operations.queries.places import RowPlace
from operations.queries.queue_column import queue_column

# What the eighth question is called: not a review, but people have to answer it all the same.
APPROVAL = "approval"

# An operation with two questions counts with each, and once in what is at risk in all.
_SUMMARY = """
    WITH waiting AS (
        SELECT question, opened_at, operation_id FROM operations_review WHERE closed_at IS NULL
        UNION ALL
        SELECT 'approval', opened_at, operation_id FROM operations_approval
            WHERE status = 'open' AND subject <> 'proposal' AND expires_at > %(now)s
    ), told AS (
        SELECT w.question, w.opened_at, o.amount, o.currency,
            row_number() OVER (PARTITION BY o.id ORDER BY w.opened_at) = 1 AS is_first,
            width_bucket(extract(epoch FROM %(now)s - w.opened_at)::float8, %(steps)s::float8[])
                AS step
        FROM waiting w JOIN operations_operation o ON o.id = w.operation_id
        WHERE %(environment)s IN ('', o.environment) AND o.environment <> %(left_out)s
    )
    SELECT question, currency, step, count(*), min(opened_at), sum(amount),
        sum(amount) FILTER (WHERE is_first)
    FROM told GROUP BY question, currency, step
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFilter:
    """Which open reviews. `holder_id`: only the cases that this person holds."""

    environment: str = ""
    question: Question | None = None
    holder_id: int | None = None


@dataclass(slots=True, kw_only=True)
class Waiting:
    """What waits under one question, or in all. `steps` counts by age, the youngest first."""

    count: int = 0
    oldest_at: datetime | None = None
    sums: dict[str, Decimal] = field(default_factory=dict)
    steps: list[int] = field(default_factory=list)

    def add(self, step: int, count: int, oldest_at: datetime) -> None:
        """Count some more of one age."""
        self.count += count
        self.oldest_at = min(self.oldest_at or oldest_at, oldest_at)
        self.steps[step] += count

    def add_amount(self, currency: str, amount: Decimal | None) -> None:
        """Add to what is at risk; kinds without an amount add nothing."""
        if amount is not None:
            self.sums[currency] = self.sums.get(currency, Decimal(0)) + amount


def waiting(
    *, environment: str, now: datetime, age_steps: Sequence[timedelta]
) -> tuple[Waiting, Mapping[str, Waiting]]:
    """All that waits for people, and the same by question (and `approval`): one query.

    `age_steps` are the ends of the age classes but the last, which has none.
    """
    whole = _none(age_steps)
    by_question: dict[str, Waiting] = defaultdict(lambda: _none(age_steps))
    values: dict[str, Any] = {
        **scope_of(environment),
        "now": now,
        "steps": [step.total_seconds() for step in age_steps],
    }
    with connection.cursor() as cursor:
        cursor.execute(_SUMMARY, values)
        for question, currency, step, count, oldest_at, amount, once in cursor.fetchall():
            for part, sum_of in ((whole, once), (by_question[question], amount)):
                part.add(step, count, oldest_at)
                part.add_amount(currency, sum_of)
    return whole, by_question


def _none(age_steps: Sequence[timedelta]) -> Waiting:
    return Waiting(steps=[0] * (len(age_steps) + 1))


def queue_counts(*, environment: str, now: datetime) -> Mapping[Queue, int]:
    """How many operations each queue shows, `done` left out: one query.

    A settled operation counts while a review is open or while it is due or held.
    """
    rows = Operation.objects.filter(at_environment(environment), pk__in=_not_done(now))
    counted = rows.annotate(queue=queue_column(now)).order_by().values_list("queue")
    found = dict(counted.annotate(n=Count("pk")))
    return {queue: found.get(str(queue), 0) for queue in Queue if queue is not Queue.DONE}


def _not_done(now: datetime) -> QuerySet[Any]:
    """The ids of what may be in a queue but `done`, each part by its own index.

    One condition with OR would read the whole table, most of which has been done for long.
    """
    settled = Operation.objects.filter(state=State.CONFIRMED, next_try_at__isnull=False)
    held = Operation.objects.filter(claim_token__isnull=False, claim_expires_at__gt=now)
    return (
        Operation.objects.filter(state__in=OPEN_STATES)
        .values("pk")
        .union(
            settled.values("pk"),
            held.values("pk"),
            Review.objects.filter(closed_at=None).values("operation"),
        )
    )


def cases_page(
    wanted: CaseFilter, *, now: datetime, after: RowPlace | None, limit: int
) -> tuple[Sequence[Review], RowPlace | None]:
    """At most `limit` open reviews younger than `after`, oldest first, and where to go on.

    By (opened_at, id). Each has its operation loaded, and request_count, effect_count and
    proposed (the choice that waits for a second person, or None).
    """
    rows = _narrowed(wanted, now)
    if after is not None:
        rows = rows.filter(TupleGreaterThan(Tuple("opened_at", "id"), (after.at, after.id)))
    rows = rows.select_related("operation", "operation__review_holder").annotate(
        request_count=request_count("operation_id"),
        effect_count=effect_count("operation_id"),
        proposed=Subquery(_open_proposals(now).values("choice")[:1]),
    )
    found = list(rows.defer(*_LEFT_OUT).order_by("opened_at", "id")[: limit + 1])
    page = found[:limit]
    if len(found) <= limit:
        return page, None
    return page, RowPlace(page[-1].opened_at, page[-1].pk)


def _narrowed(wanted: CaseFilter, now: datetime) -> QuerySet[Review]:
    here = at_environment(wanted.environment, column="operation__environment")
    rows = Review.objects.filter(here, closed_at=None)
    if wanted.question is not None:
        rows = rows.filter(question=str(wanted.question))
    if wanted.holder_id is not None:
        held = {"operation__review_holder": wanted.holder_id}
        rows = rows.filter(**held, operation__review_expires_at__gt=now)
    return rows


def _open_proposals(now: datetime) -> QuerySet[Approval]:
    return Approval.objects.filter(
        operation=OuterRef("operation_id"),
        subject=ApprovalSubject.PROPOSAL,
        status=ApprovalStatus.OPEN,
        expires_at__gt=now,
    )


_LEFT_OUT = tuple(f"operation__{column}" for column in LARGE_COLUMNS)
