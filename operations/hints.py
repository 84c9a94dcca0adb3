"""Hints to the workers: an id on the broker, sent after the commit. The row is the queue."""

import time

import structlog
from celery import current_app
from django.conf import settings
from django.db import transaction

log = structlog.get_logger()

DISPATCH = "operations.tasks.dispatch_operation"
RECONCILE = "reconciliation.tasks.reconcile_operation"
RECONCILE_DUE = "reconciliation.tasks.reconcile_due"
STATEMENT = "reconciliation.tasks.run_statement"


# After a hint was lost the broker is left alone this long: one that hangs costs each hint 5 s, and
# requests wait for them. Sweeps find the rows meanwhile.
REST_SECONDS = 10.0


class _Rest:
    """Until when no hint is sent, on this process's monotonic clock."""

    until = 0.0


def dispatch_soon(operation_id: object) -> None:
    """Tell a worker, once this transaction is committed, that an operation can be dispatched."""
    _hint(DISPATCH, str(operation_id))


def reconcile_soon(operation_id: object) -> None:
    """Tell a worker, once this transaction is committed, that a lookup is due."""
    _hint(RECONCILE, str(operation_id))


def reconcile_due_soon(*, environment: str, receiver: str) -> None:
    """Tell a worker, once this transaction is committed, that many lookups are due at a receiver.

    It is not in the way of the other hints: those have a queue of their own.
    """
    _hint(RECONCILE_DUE, environment, receiver)


def statement_soon(run_id: object) -> None:
    """Tell a worker, once this transaction is committed, that a statement's file waits."""
    _hint(STATEMENT, str(run_id))


def _hint(task_name: str, *about: str) -> None:
    def send() -> None:
        if time.monotonic() < _Rest.until:
            return
        try:
            current_app.send_task(
                task_name,
                args=list(about),
                # Sweeps say it again, so old hints are not to pile up behind slow receivers.
                expires=settings.HINT_LIVES_SECONDS,
                retry=False,
            )
        except Exception as error:  # any broker trouble: the sweep finds the row by itself
            _Rest.until = time.monotonic() + REST_SECONDS
            log.warning("hint lost", task=task_name, about=about, error=str(error))

    transaction.on_commit(send)
