"""Places in a list of operations that shows the newest first."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet
from django.db.models.fields.tuple_lookups import Tuple, TupleLessThan

from operations.models import Operation
from operations.protocol.refusals import InvalidField
from operations.queries.operation_list import Place


def page_newest_first(
    rows: QuerySet[Operation], *, after: Place | None, limit: int
) -> tuple[Sequence[Operation], Place | None]:
    """At most `limit` operations older than `after`, and the place to go on from.

    By (created_at, id), so that a page neither skips nor repeats a row while new ones come in.
    None ends the list.
    """
    if after is not None:
        rows = rows.filter(TupleLessThan(Tuple("created_at", "id"), (after.created_at, after.id)))
    found = list(rows.order_by("-created_at", "-id")[: limit + 1])
    page = found[:limit]
    if len(found) <= limit:
        return page, None
    return page, Place(created_at=page[-1].created_at, id=page[-1].pk)


def place_text(place: Place) -> str:
    """A place as it stands in an address."""
    return f"{place.created_at.isoformat()}~{place.id}"


def place_from(text: str) -> Place | None:
    """The place that an address names; None for none. Raises InvalidField."""
    if not text:
        return None
    instant, _, pk = text.partition("~")
    try:
        at = datetime.fromisoformat(instant)
        if at.tzinfo is None:
            raise ValueError
        return Place(created_at=at, id=UUID(pk))
    except ValueError:
        raise InvalidField(
            field="after", expected="the place that a “Next” link names", got=text[:80]
        ) from None
