"""Places in lists that show the newest first, of rows with an instant and a whole-number id."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Model, QuerySet
from django.db.models.fields.tuple_lookups import Tuple, TupleLessThan

from operations.protocol.refusals import InvalidField

LONGEST_ID = 18  # digits that still fit a bigint


@dataclass(frozen=True, slots=True)
class RowPlace:
    """The last row of a page."""

    at: datetime
    id: int

    def __str__(self) -> str:
        return f"{self.at.isoformat()}~{self.id}"

    @classmethod
    def read(cls, text: str) -> "RowPlace | None":
        """The place that an address names; None for none. Raises InvalidField."""
        if not text:
            return None
        instant, _, pk = text.partition("~")
        try:
            at = datetime.fromisoformat(instant)
            if at.tzinfo is None or not (pk.isascii() and pk.isdigit()) or len(pk) > LONGEST_ID:
                raise ValueError
        except ValueError:
            raise InvalidField(
                field="after", expected="the place that a “Next” link names", got=text[:80]
            ) from None
        return cls(at, int(pk))


def page_of[Row: Model](
    rows: QuerySet[Row], *, by: str, after: RowPlace | None, limit: int
) -> tuple[Sequence[Row], RowPlace | None]:
    """At most `limit` rows older than `after`, and the place to go on from; None ends the list.

    By (`by`, id), so that a page neither skips nor repeats a row while new ones come in.
    """
    if after is not None:
        rows = rows.filter(TupleLessThan(Tuple(by, "id"), (after.at, after.id)))
    found: list[Any] = list(rows.order_by(f"-{by}", "-id")[: limit + 1])
    page = found[:limit]
    if len(found) <= limit:
        return page, None
    return page, RowPlace(getattr(page[-1], by), page[-1].pk)
