"""Celery tasks: a hint and a sweep. Running one twice, or never, loses and repeats nothing."""

from uuid import UUID

from celery import shared_task

from operations import clock, hints
from operations.queries.due import due_for_reconcile
from operations.tasks import worker_name
from reconciliation.actions import reconcile_operation as reconciling

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
