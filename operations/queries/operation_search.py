"""The list of operations that people search, with what each row shows."""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import (
    Count,
    Exists,
    ExpressionWrapper,
    Func,
    IntegerField,
    JSONField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextField,
    Value,
)
from django.db.models.fields import BooleanField
from django.db.models.functions import Cast, Coalesce

from operations.models import Attempt, Operation, Receipt, Review
from operations.protocol.states import Finding, Queue, ReceiptStatus, State
from operations.queries.environments import at_environment
from operations.queries.operation_list import reads_as
from operations.queries.queue_column import is_overdue, queue_column
from operations.queries.search_text import SearchText

_TEXT_COLUMNS = ("key", "reference", "title", "effect_id", "payload_text")
# Big, and no row shows them.
LARGE_COLUMNS = ("payload_text", "payload_canonical", "request_body", "context", "goal")


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationSearch:
    """Which operations. Empty members do not narrow the list; `key` is a beginning of keys.

    Without an environment it is all of them but the drills'.
    """

    environment: str = ""
    state: State | None = None
    receiver: str = ""
    kind: str = ""
    queue: Queue | None = None
    key: str = ""
    text: SearchText = field(default_factory=SearchText)


def found_operations(search: OperationSearch, *, now: datetime) -> QuerySet[Operation]:
    """The operations that match, annotated for `operations.queries.row.Row`."""
    rows = Operation.objects.filter(at_environment(search.environment))
    for column in ("receiver", "kind"):
        if value := getattr(search, column):
            rows = rows.filter(**{column: value})
    if search.key:
        rows = rows.filter(key__startswith=search.key)
    if search.state is not None:
        rows = rows.filter(reads_as(search.state))
    if search.queue is not None:
        rows = rows.alias(in_queue=queue_column(now)).filter(in_queue=str(search.queue))
    for word in search.text.words:
        rows = rows.filter(_mentions(word))
    for number, (names, value) in enumerate(search.text.payload):
        member = f"member_{number}"
        rows = rows.alias(**{member: _payload_member(names)}).filter(**{member: value})
    return with_row_columns(rows, now)


def with_row_columns(rows: QuerySet[Operation], now: datetime) -> QuerySet[Operation]:
    """Adds request_count, effect_count, questions (the open ones) and is_overdue."""
    questions = Review.objects.filter(operation=OuterRef("pk"), closed_at=None)
    return rows.annotate(
        request_count=request_count(),
        effect_count=effect_count(),
        questions=ArraySubquery(questions.values("question")),
        is_overdue=ExpressionWrapper(is_overdue(now), output_field=BooleanField()),
    ).defer(*LARGE_COLUMNS)


def request_count(operation: str = "pk") -> Coalesce:
    """How many times it may have been sent: one a generation."""
    return _count(Attempt.objects.filter(operation=OuterRef(operation)), "pk")


def effect_count(operation: str = "pk") -> Coalesce:
    """How many effects were named for it, each id once; those found to be another's left out."""
    named = Receipt.objects.filter(operation=OuterRef(operation), status=ReceiptStatus.CONFIRMED)
    ours = named.exclude(explanation__finding=Finding.NOT_OURS)
    return _count(ours.exclude(effect_id=""), "effect_id")


def _count(rows: QuerySet[Attempt] | QuerySet[Receipt], column: str) -> Coalesce:
    counted = (
        rows.order_by().values("operation").annotate(n=Count(column, distinct=True)).values("n")
    )
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def _mentions(word: str) -> Q:
    found = Q()
    for column in _TEXT_COLUMNS:
        found |= Q(**{f"{column}__icontains": word})
    found |= Q(Exists(Receipt.objects.filter(operation=OuterRef("pk"), effect_id__icontains=word)))
    try:
        return found | Q(pk=UUID(word))
    except ValueError:
        return found


def _payload_member(names: tuple[str, ...]) -> Func:
    """The text of a member of the payload; `lines.0.sku` reaches into lists."""
    return Func(
        Cast("payload_text", JSONField()),
        *(Value(name) for name in names),
        function="jsonb_extract_path_text",
        output_field=TextField(),
    )
