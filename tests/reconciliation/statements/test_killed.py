"""A worker that is killed in the middle of a statement, or meets others: nothing is done twice."""

import os
import signal
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest

from operations import clock
from operations.models import AuditEntry, Receipt
from operations.protocol.states import State
from reconciliation.actions import confirm_rows as confirming
from reconciliation.actions.apply_rows import apply_rows
from reconciliation.actions.apply_statement import apply_statement
from reconciliation.actions.hold_run import RunLost, take_run
from reconciliation.actions.rehearse_statement import rehearse_statement
from reconciliation.actions.run_statement import run_statement
from reconciliation.models import AppliedRow, StatementRow, StatementRun
from reconciliation.protocol.statements.passes import RunStatus
from reconciliation.protocol.statements.profile import SANDBOX
from reconciliation.protocol.statements.reader import read_rows
from reconciliation.queries.statement_file import open_statement
from reconciliation.queries.statement_runs import runs_due
from tests.build import a_marked_operation, an_agent, receive
from tests.people import an_unknown_outcome
from tests.reconciliation.statements.importing import (
    MACHINE,
    booked,
    finished,
    fresh,
    lines_of,
    rehearsed,
    staged,
)
from tests.together import at_once, meanwhile

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.race]

ROOT = Path(__file__).resolve().parents[3]
ROWS = 10
LOCK_TIMEOUT_SECONDS = 2


def kill_at(point: str, times: int, run: StatementRun, settings) -> None:
    """Let a worker of its own die there, and its lease be over."""
    command = [sys.executable, "-m", "tests.reconciliation.statements.dying_import"]
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "opsconsole.settings",
        "OPSCONSOLE_DATA": str(settings.OPSCONSOLE_DATA),
        "CELERY_BROKER_URL": "memory://",
    }
    died = subprocess.run(
        [*command, point, str(times), str(run.pk)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert run_statement(run_id=run.pk, holder="early") is None, "its lease is not over"
    assert runs_due(now=clock.now(), limit=10) == []
    over = clock.now() - timedelta(seconds=1)
    StatementRun.objects.filter(pk=run.pk).update(lease_until=over)
    assert runs_due(now=clock.now(), limit=10) == [run.pk]


@pytest.mark.parametrize(("point", "times"), [("in_a_dry_run", 2), ("after_a_batch", 2)])
def test_a_dry_run_goes_on_and_counts_no_row_twice(point, times, settings):
    agent = an_agent()
    values = [booked(a_marked_operation(agent=agent)[0]) for _ in range(ROWS)]
    statement = staged(lines_of(*values))
    run = rehearse_statement(statement=statement, profile=SANDBOX)
    kill_at(point, times, run, settings)
    done = finished(run)
    assert (done.status, done.row_count, done.counts) == (
        RunStatus.DONE,
        ROWS,
        {"confirms": ROWS},
    )
    assert StatementRow.objects.filter(run=run).count() == ROWS


@pytest.mark.parametrize(
    ("point", "times"),
    [
        ("among_matches", 2),
        ("after_matches", 2),
        ("in_a_row", 3),
        ("after_a_row", 3),
        ("among_orphans", 2),
        ("before_the_place", 2),
        ("before_the_end", 1),
    ],
)
def test_an_application_goes_on_and_does_nothing_twice(point, times, settings):
    agent = an_agent()
    plain = [a_marked_operation(agent=agent)[0] for _ in range(ROWS // 2)]
    asked = [an_unknown_outcome(agent=agent) for _ in range(ROWS // 2)]  # recorded singly
    operations = [each for pair in zip(plain, asked, strict=True) for each in pair]
    values = [booked(each) for each in operations]
    orphans = [booked(each, operation_id=f"nobody-{each.key}") for each in operations]
    rows = [row for pair in zip(values, orphans, strict=True) for row in pair]
    rehearsal = rehearsed(staged(lines_of(*rows)))
    run = apply_statement(rehearsal=rehearsal, profile=SANDBOX, actor=MACHINE)
    kill_at(point, times, run, settings)
    done = finished(run)
    assert (done.status, done.counts) == (RunStatus.DONE, {"confirms": ROWS, "unmatched": ROWS})
    for operation in operations:
        assert fresh(operation).state == State.CONFIRMED
        assert operation.receipts.count() == 1
        confirms = AuditEntry.objects.filter(operation=operation, event="confirm")
        assert confirms.count() == 1
    assert Receipt.objects.filter(operation=None).count() == ROWS
    assert AppliedRow.objects.filter(run=run).count() == 2 * ROWS
    ends = AuditEntry.objects.filter(event="end_statement")
    assert ends.count() == 1


def test_a_worker_that_was_only_slow_writes_nothing_more():
    operation, _ = a_marked_operation(agent=an_agent())
    rehearsal = rehearsed(staged(lines_of(booked(operation))))
    run = apply_statement(rehearsal=rehearsal, profile=SANDBOX, actor=MACHINE)
    slow = take_run(run.pk, holder="slow")
    over = clock.now() - timedelta(seconds=1)
    StatementRun.objects.filter(pk=run.pk).update(lease_until=over)
    assert finished(run).counts == {"confirms": 1}
    rows = list(read_rows(SANDBOX, open_statement(rehearsal.statement)))
    with pytest.raises(RunLost):
        apply_rows(run=slow, rows=rows)
    assert operation.receipts.count() == 1


def test_an_effect_that_is_taken_meanwhile_is_told_apart_from_its_batch(monkeypatch):
    agent = an_agent()
    first, second, other = (a_marked_operation(agent=agent)[0] for _ in range(3))
    taken = booked(first)
    rehearsal = rehearsed(staged(lines_of(taken, booked(second))))
    locked = confirming.lookup_standings

    def take_it(*given, **named):
        found = locked(*given, **named)
        if fresh(other).state == State.SENT_UNKNOWN:
            at_once(lambda: receive(other, booked(other, effect_id=taken["effect_id"])))
        return found

    monkeypatch.setattr(confirming, "lookup_standings", take_it)
    run = apply_statement(rehearsal=rehearsal, profile=SANDBOX, actor=MACHINE)
    assert finished(run).counts == {"mismatch": 1, "confirms": 1}
    assert [fresh(each).state for each in (first, second)] == [State.SENT_UNKNOWN, State.CONFIRMED]


def test_an_operation_that_somebody_has_locked_is_waited_for(connect_as):
    operation, _ = a_marked_operation(agent=an_agent())
    rehearsal = rehearsed(staged(lines_of(booked(operation))))
    run = apply_statement(rehearsal=rehearsal, profile=SANDBOX, actor=MACHINE)
    other = connect_as("runtime")
    other.execute("SELECT 1 FROM operations_operation WHERE id = %s FOR UPDATE", [operation.pk])
    with meanwhile(lambda: finished(run)) as done:
        time.sleep(LOCK_TIMEOUT_SECONDS + 1)
        other.rollback()
    assert done.result().counts == {"confirms": 1}
    assert operation.receipts.count() == 1
