"""Celery tasks: a hint and a sweep. Running one twice, or never, loses and repeats nothing."""

from uuid import UUID

from celery import shared_task

from operations import clock, hints
from operations.queries.due import due_for_reconcile
from operations.tasks import worker_name
from reconciliation.actions import reconcile_operation as reconciling
from reconciliation.actions import run_statement as importing
from reconciliation.queries.statement_runs import runs_due

BATCH = 100


@shared_task(acks_late=True)
def reconcile_operation(operation_id: str) -> None:
    """Look one operation up, if that is due."""
    reconciling.reconcile_operation(operation_id=UUID(operation_id), holder=worker_name())


@shared_task
def sweep_reconcile() -> None:
    """Hint at every operation whose lookup is due."""
    for operation_id in due_for_reconcile(now=clock.now(), limit=BATCH):
        hints.reconcile_soon(operation_id)


@shared_task(acks_late=True)
def run_statement(run_id: str) -> None:
    """Go on with a pass over a statement's file, if no other worker does."""
    importing.run_statement(run_id=int(run_id), holder=worker_name())


@shared_task
def sweep_statements() -> None:
    """Hint at every pass that waits, or whose worker is gone."""
    for run_id in runs_due(now=clock.now(), limit=BATCH):
        hints.statement_soon(run_id)
