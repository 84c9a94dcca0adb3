"""Celery tasks: hints and sweeps. Running one twice, or never, loses and repeats nothing."""

import os
import socket
from uuid import UUID

import structlog
from celery import shared_task

from operations import clock, hints
from operations.actions import dispatch_operation as dispatching
from operations.actions.expire_approvals import expire_approvals
from operations.actions.expire_claims import expire_claims
from operations.actions.stall_overdue import stall_overdue
from operations.queries.due import due_for_dispatch

log = structlog.get_logger()

BATCH = 100


def worker_name() -> str:
    """Who holds the claims of this process."""
    return f"{socket.gethostname()}/{os.getpid()}"


@shared_task(acks_late=True)
def dispatch_operation(operation_id: str) -> None:
    """Send one operation, if it is due."""
    dispatching.dispatch_operation(operation_id=UUID(operation_id), holder=worker_name())


@shared_task
def sweep_dispatch() -> None:
    """Hint at every operation that the console may send now."""
    for operation_id in due_for_dispatch(now=clock.now(), limit=BATCH):
        hints.dispatch_soon(operation_id)


@shared_task
def sweep_expiries() -> None:
    """Write down what is over by the clock, and show people what waits too long."""
    for sweep in (expire_claims, expire_approvals, stall_overdue):
        try:
            sweep(limit=BATCH)
        except Exception:  # one that fails keeps none of the others from its work
            log.exception("sweep failed", sweep=sweep.__name__)
