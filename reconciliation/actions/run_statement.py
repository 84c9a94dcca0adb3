"""A worker goes on with a pass over a statement: batch by batch, for a while, never a row twice."""

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress

import structlog
from django.db import transaction

from operations import hints
from operations.protocol.refusals import Refusal
from operations.protocol.words import storable
from reconciliation.actions.apply_rows import apply_rows
from reconciliation.actions.apply_statement import end_application
from reconciliation.actions.hold_run import (
    RunLost,
    end_run,
    hold_up,
    let_go,
    place_of,
    take_run,
)
from reconciliation.actions.rehearse_statement import rehearse_rows
from reconciliation.models import StatementRun
from reconciliation.protocol.statements.passes import Purpose, RunStatus
from reconciliation.protocol.statements.profile import StatementProfile, form_digest
from reconciliation.protocol.statements.reader import read_rows
from reconciliation.protocol.statements.rows import NotUnderstood, Row
from reconciliation.queries.statement_file import open_statement
from reconciliation.queries.statement_profiles import statement_profile

log = structlog.get_logger()

# Then others get their turn of the worker; the run goes on by the next hint or sweep.
SLICE_SECONDS = 15.0
# A batch ends at either: rows may be 2 MiB long, and memory is to stay flat.
BATCH_ROWS = 2_000
# Rows that change an operation may take a tenth of a second each; the lease outlasts these.
APPLIED_ROWS = 500
BATCH_BYTES = 4 * 1024**2


def run_statement(
    *, run_id: int, holder: str, for_seconds: float = SLICE_SECONDS
) -> StatementRun | None:
    """The run as this left it; None where there was nothing to do, or another worker has it."""
    run = take_run(run_id, holder=holder)
    if run is None:
        return None
    try:
        _work(run, until=time.monotonic() + for_seconds)
    except RunLost:
        log.warning("statement taken over", run=run.pk, token=run.token)
        return None
    except Exception as error:  # the lease stays: it is tried again after that, not at once
        with suppress(RunLost):  # where its end was committed, and nobody acknowledged that
            hold_up(
                run,
                sentence=f"It stopped at {type(error).__name__}.",
                remedy="It is tried again within a minute or two; the worker's log says more.",
            )
        raise
    if run.status == RunStatus.RUNNING:  # neither over nor held up
        let_go(run)
        with transaction.atomic():
            hints.statement_soon(run.pk)
    return run


def _work(run: StatementRun, *, until: float) -> None:
    try:
        profile = _profile(run)
    except Refusal as refusal:
        hold_up(run, sentence=refusal.detail, remedy=refusal.remedy)
        return
    if profile is None:
        _stop_for_another_form(run)
        return
    is_dry = run.purpose == Purpose.REHEARSE
    step = rehearse_rows if is_dry else apply_rows
    most = BATCH_ROWS if is_dry else min(BATCH_ROWS, APPLIED_ROWS)
    try:
        with open_statement(run.statement) as stream:
            for rows in _batches(read_rows(profile, stream, after=place_of(run)), most):
                step(run=run, rows=rows)
                if time.monotonic() >= until:
                    return
    except NotUnderstood as why:
        _give_up(run, why)
        return
    if is_dry:
        end_run(run, RunStatus.DONE, fault=None)
    else:
        end_application(run=run)


def _batches(rows: Iterator[Row], most: int) -> Iterator[Sequence[Row]]:
    batch: list[Row] = []
    size = 0
    for row in rows:
        batch.append(row)
        size += len(row.raw)
        if len(batch) == most or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _profile(run: StatementRun) -> StatementProfile | None:
    """The form that the run began with; None where it was changed since."""
    found = statement_profile(run.statement.profile, run.receiver)
    return found if form_digest(found) == run.form else None


def _stop_for_another_form(run: StatementRun) -> None:
    """A dry run is begun anew by whoever wants it; an application goes on once it may."""
    sentence = f"The profile {run.statement.profile} was changed since this began."
    if run.purpose == Purpose.REHEARSE:
        fault = {"sentence": sentence, "remedy": "Start another dry run."}
        end_run(run, RunStatus.FAILED, fault=fault)
    else:
        hold_up(run, sentence=sentence, remedy="Declare it as it was; then this goes on by itself.")


def _give_up(run: StatementRun, why: NotUnderstood) -> None:
    """A file that can't be understood changes nothing: only a dry run ever meets one."""
    fault = {
        "row": why.row,
        "line": why.line,
        "expected": storable(why.expected),
        "got": storable(why.got),
        "sentence": storable(str(why)),
        "remedy": "Nothing of the file counts. Export it again, or name the profile of its form.",
    }
    if run.purpose == Purpose.REHEARSE:
        end_run(run, RunStatus.FAILED, fault=fault)
    else:
        hold_up(run, sentence=storable(str(why)), remedy="Show this to whoever keeps the console.")
