"""Passes over statements that wait for a worker."""

from datetime import datetime

from django.db.models import Q

from reconciliation.models import StatementRun
from reconciliation.protocol.statements.passes import GOING_ON


def runs_due(*, now: datetime, limit: int) -> list[int]:
    """The longest waiting first. One that a living worker holds is not due."""
    free = Q(lease_until=None) | Q(lease_until__lte=now)
    due = StatementRun.objects.filter(free, status__in=GOING_ON).order_by("opened_at")
    return list(due.values_list("pk", flat=True)[:limit])
