"""Celery tasks: a hint and a sweep. Running one twice, or never, loses and repeats nothing."""

from uuid import UUID

from celery import shared_task

from operations import clock, hints
from operations.protocol.refusals import UnknownReceiver
from operations.queries.due import by_receiver, due_for_reconcile
from operations.registry import receiver as configured
from operations.tasks import worker_name
from reconciliation.actions import reconcile_operation as reconciling
from reconciliation.actions import run_statement as importing
from reconciliation.actions.reconcile_due import AT_ONCE
from reconciliation.actions.reconcile_due import reconcile_due as look_up_due
from reconciliation.queries.gates import shut_gates
from reconciliation.queries.statement_runs import runs_due

BATCH = 100


@shared_task(acks_late=True)
def reconcile_operation(operation_id: str) -> None:
    """Look one operation up, if that is due."""
    reconciling.reconcile_operation(operation_id=UUID(operation_id), holder=worker_name())


@shared_task(acks_late=True)
def reconcile_due(environment: str, receiver: str) -> None:
    """Look up what is due at one receiver, many at a time, for as long as its turn lasts."""
    if _takes_lookups(environment, receiver):
        look_up_due(config=configured(receiver, environment), holder=worker_name())


@shared_task
def sweep_reconcile() -> None:
    """Hint at every operation whose lookup is due, where its receiver may be asked now.

    Many at one receiver are hinted at together. What is left out stays due, and is found again.
    """
    now = clock.now()
    shut = shut_gates(now=now)
    for place, due in by_receiver(due_for_reconcile(now=now, limit=BATCH)).items():
        if place in shut:
            continue
        if len(due) == 1 or not _takes_lookups(*place):
            for operation_id in due:
                hints.reconcile_soon(operation_id)
            continue
        for _ in range(0, len(due), AT_ONCE):
            hints.reconcile_due_soon(environment=place[0], receiver=place[1])


def _takes_lookups(environment: str, receiver: str) -> bool:
    """Without any, or without a receiver of that name, each operation goes its own way."""
    try:
        return configured(receiver, environment).profile.has_lookup
    except UnknownReceiver:
        return False


@shared_task(acks_late=True)
def run_statement(run_id: str) -> None:
    """Go on with a pass over a statement's file, if no other worker does."""
    importing.run_statement(run_id=int(run_id), holder=worker_name())


@shared_task
def sweep_statements() -> None:
    """Hint at every pass that waits, or whose worker is gone."""
    for run_id in runs_due(now=clock.now(), limit=BATCH):
        hints.statement_soon(run_id)
