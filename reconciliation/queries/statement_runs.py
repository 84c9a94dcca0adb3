"""Passes over statements that wait for a worker, or for the application of another one."""

from collections.abc import Iterable
from datetime import datetime

from django.db.models import Q

from reconciliation.models import StatementRun
from reconciliation.protocol.statements.passes import GOING_ON, Purpose, RunStatus


def runs_due(*, now: datetime, limit: int) -> list[int]:
    """The longest waiting first. One that a living worker holds is not due."""
    free = Q(lease_until=None) | Q(lease_until__lte=now)
    due = StatementRun.objects.filter(free, status__in=GOING_ON).order_by("opened_at")
    return list(due.values_list("pk", flat=True)[:limit])


def waits_for(runs: Iterable[StatementRun]) -> dict[int, int]:
    """By a run's pk: the statement whose application has the place that this one waits for."""
    waiting = [
        run for run in runs if run.purpose == Purpose.APPLY and run.status == RunStatus.WAITING
    ]
    if not waiting:
        return {}
    running = StatementRun.objects.filter(purpose=Purpose.APPLY, status=RunStatus.RUNNING)
    holding = {
        (environment, receiver): number
        for environment, receiver, number in running.values_list(
            "environment", "receiver", "statement_id"
        )
    }
    found = {run.pk: holding.get((run.environment, run.receiver)) for run in waiting}
    return {pk: number for pk, number in found.items() if number is not None}
