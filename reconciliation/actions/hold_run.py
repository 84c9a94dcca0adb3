"""A pass over a statement is held by one worker at a time, and each step by its token."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F, Q

from operations import clock
from reconciliation.models import StatementRun
from reconciliation.protocol.statements.passes import GOING_ON, RunStatus
from reconciliation.protocol.statements.rows import Place

# Longer than any step takes; each step prolongs it. A killed worker's run goes on after it.
LEASE_SECONDS = 60


class RunLost(Exception):
    """Another worker has taken the run over: whoever held it writes nothing more."""


def take_run(run_id: int, *, holder: str) -> StatementRun | None:
    """The run under its next token; None where it is over, held, or waits for another one."""
    now = clock.now()
    free = Q(lease_until=None) | Q(lease_until__lte=now)
    waiting = StatementRun.objects.filter(free, pk=run_id, status__in=GOING_ON)
    try:
        with transaction.atomic():
            taken = waiting.update(
                status=RunStatus.RUNNING,
                token=F("token") + 1,
                holder=holder,
                lease_until=now + timedelta(seconds=LEASE_SECONDS),
            )
    except IntegrityError:  # another statement of this receiver is being applied
        return None
    if not taken:
        return None
    run = StatementRun.objects.select_related("statement", "rehearsal").get(pk=run_id)
    if run.started_at is None:
        _write(run, started_at=now)
    return run


def place_of(run: StatementRun) -> Place:
    """Behind the last row that was done."""
    return Place(run.offset, run.row_count, run.line)


def go_on(run: StatementRun, place: Place, counts: Mapping[str, int]) -> None:
    """Rows up to `place` are done; `counts` are added. Raises RunLost."""
    total = dict(run.counts)
    for outcome, count in counts.items():
        total[outcome] = total.get(outcome, 0) + count
    _write(
        run,
        offset=place.offset,
        row_count=place.number,
        line=place.line,
        counts=total,
        fault=None,
        lease_until=clock.now() + timedelta(seconds=LEASE_SECONDS),
    )


def let_go(run: StatementRun) -> None:
    """Whoever comes next may take it. Nothing happens to one that is over or lost."""
    held = StatementRun.objects.filter(pk=run.pk, token=run.token, status=RunStatus.RUNNING)
    held.update(lease_until=None, holder="")


def end_run(run: StatementRun, status: RunStatus, *, fault: Mapping[str, Any] | None) -> None:
    """It is over; what fails counts as nothing. Raises RunLost."""
    now = clock.now()
    none: dict[str, Any] = {"counts": {}} if status is RunStatus.FAILED else {}
    _write(run, status=status, fault=fault, finished_at=now, lease_until=None, holder="", **none)


def hold_up(run: StatementRun, *, sentence: str, remedy: str) -> None:
    """It can't go on now, and says why; it is tried again once its lease is over. Raises RunLost.

    It waits, so that another statement of its receiver may be applied in the meantime.
    """
    fault = {"sentence": sentence, "remedy": remedy}
    _write(run, status=RunStatus.WAITING, holder="", fault=fault)


def _write(run: StatementRun, **values: Any) -> None:
    held = StatementRun.objects.filter(pk=run.pk, token=run.token, status=RunStatus.RUNNING)
    if not held.update(**values):
        raise RunLost
    for name, value in values.items():
        setattr(run, name, value)
