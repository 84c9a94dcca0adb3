"""Which halts are in force."""

from django.db.models import QuerySet

from operations.models import Halt


def halts_in_force() -> QuerySet[Halt]:
    """Every halt that is not lifted, the oldest first."""
    return Halt.objects.filter(lifted_at=None).select_related("halted_by").order_by("at")


def halt_over(*, environment: str, receiver: str) -> Halt | None:
    """The oldest halt in force whose scope holds this environment and receiver."""
    scoped = halts_in_force().filter(environment__in=("", environment), receiver__in=("", receiver))
    return scoped.first()
