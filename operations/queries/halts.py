"""Which halts are in force, and which were."""

from collections.abc import Sequence

from django.db.models import QuerySet

from operations.models import Halt
from operations.queries.places import RowPlace, page_of


def halts_in_force() -> QuerySet[Halt]:
    """Every halt that is not lifted, the oldest first."""
    return Halt.objects.filter(lifted_at=None).select_related("halted_by").order_by("at")


def halts_lifted(*, after: RowPlace | None, limit: int) -> tuple[Sequence[Halt], RowPlace | None]:
    """At most `limit` lifted halts, the latest lifted first, and the place to go on from."""
    lifted = Halt.objects.filter(lifted_at__isnull=False).select_related("halted_by", "lifted_by")
    return page_of(lifted, by="lifted_at", after=after, limit=limit)


def halt_over(*, environment: str, receiver: str) -> Halt | None:
    """The oldest halt in force whose scope holds this environment and receiver."""
    scoped = halts_in_force().filter(environment__in=("", environment), receiver__in=("", receiver))
    return scoped.first()
