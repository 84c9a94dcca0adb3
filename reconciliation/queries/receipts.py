"""Receipts of every operation and of none, newest first, by what they were found to be worth."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet

from operations.models import Operation, Receipt
from operations.protocol.states import ReceiptStatus, Verdict
from operations.queries.environments import at_environment
from operations.queries.places import RowPlace, page_of

COUNTED = 1000  # a longer list is "1,000+": nobody waits for an exact count


class Pile(StrEnum):
    """The piles that the page sorts receipts into."""

    ALL = "all"
    UNEXPLAINED = "unexplained"
    UNMATCHED = "unmatched"
    MISMATCH = "mismatch"
    LATE = "late"
    DUPLICATE = "duplicate"
    NOT_PROOF = "not_proof"
    KEPT = "kept"
    CONFIRMED = "confirmed"


_HEAVY = (
    "raw",
    "payload_text",
    "operation__payload_text",
    "operation__payload_canonical",
    "operation__request_body",
    "operation__context",
)

# Another effect of the same operation, and an operation that this effect confirmed already.
_OTHER_EFFECT = (
    Receipt.objects.filter(operation=OuterRef("operation"))
    .exclude(effect_id="")
    .exclude(effect_id=OuterRef("effect_id"))
    .exclude(status=ReceiptStatus.REFUSED)
)
# The index of effects leaves out "", and is used only where that is said.
_TAKEN_EFFECT = (
    Operation.objects.filter(
        environment=OuterRef("environment"),
        receiver=OuterRef("receiver"),
        effect_id=OuterRef("effect_id"),
    )
    .exclude(effect_id="")
    .exclude(pk=OuterRef("operation"))
)
# Of two effects at least one was told when there was something to explain: few rows to ask about.
_DUPLICATE = (
    Q(needs_explanation=True, operation__isnull=False)
    & ~Q(effect_id="")
    & ~Q(status=ReceiptStatus.REFUSED)
    & (Exists(_OTHER_EFFECT) | Exists(_TAKEN_EFFECT))
)

_PILES: Mapping[Pile, Q] = {
    Pile.ALL: Q(),
    Pile.UNEXPLAINED: Q(needs_explanation=True, explanation=None),
    Pile.UNMATCHED: Q(operation=None),
    Pile.MISMATCH: Q(verdict=Verdict.MISMATCH),
    Pile.LATE: Q(verdict=Verdict.LATE),
    Pile.DUPLICATE: _DUPLICATE,
    Pile.NOT_PROOF: Q(verdict=Verdict.NOT_PROOF),
    Pile.KEPT: Q(verdict=Verdict.KEPT),
    Pile.CONFIRMED: Q(verdict__in=[Verdict.CONFIRMED, Verdict.ALREADY_CONFIRMED]),
}


def receipts_page(
    pile: Pile, *, after: RowPlace | None, limit: int, environment: str = ""
) -> tuple[Sequence[Receipt], RowPlace | None]:
    """At most `limit` receipts older than `after`, and the place to go on from.

    Each comes with its operation's title and with who reported or entered it, without its bytes.
    """
    people = ("operation", "explanation", "reported_by_agent", "entered_by")
    rows = _in(environment).filter(_PILES[pile]).select_related(*people).defer(*_HEAVY)
    return page_of(rows, by="received_at", after=after, limit=limit)


def pile_counts(*, environment: str = "") -> dict[Pile, int]:
    """How many receipts each pile has, counted up to COUNTED: one query."""
    selects: list[str] = []
    values: list[Any] = []
    for chosen in _PILES.values():
        sql, parameters = (
            _in(environment).filter(chosen).values("pk")[:COUNTED].query.sql_with_params()
        )
        selects.append(f"(SELECT count(*) FROM ({sql}) AS pile)")  # noqa: S608  the ORM's
        values += parameters
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(selects)}", values)
        [row] = cursor.fetchall()
    return dict(zip(_PILES, row, strict=True))


def _in(environment: str) -> QuerySet[Receipt]:
    """The receipts of one environment; without a name of all but the drills'."""
    return Receipt.objects.filter(at_environment(environment))
