"""Runs of drills are written once, with the entries that tell of them."""

import time
from threading import Event

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.utils import ProgrammingError

from operations import clock
from operations.models import AuditEntry
from operations.queries.audit_proof import prove_all
from opsconsole.embedded.record import RUNTIME
from reconciliation.actions.record_drill import end_drill, record_drill_result, start_drill
from reconciliation.protocol.refusals import DrillIsRunning
from tests.build import an_operation
from tests.together import at_once

pytestmark = pytest.mark.django_db


def a_run(*names, **given):
    values = {
        "started_by": "ruth on desk",
        "release": "0.1.0",
        "seed": 7,
        "planned": names or ("two_claimants", "lost_message"),
        "within_seconds": 0,
    }
    return start_drill(**values | given)


def a_result(run, name="two_claimants", **given):
    values = {
        "operation_id": None,
        "began_at": clock.now(),
        "kills": 0,
        "requests": 1,
        "effects": 1,
        "outcome": "confirmed",
        "fault": "",
    }
    return record_drill_result(run=run, name=name, **values | given)


def entry(event):
    return AuditEntry.objects.get(stream="drills", event=event)


def test_a_start_is_an_entry_and_who_started_it_can_be_erased():
    run = a_run()
    told = entry("start_drill")
    assert told.detail == {
        "drill": run.pk,
        "release": "0.1.0",
        "seed": 7,
        "planned": ["two_claimants", "lost_message"],
    }
    assert told.words.reason == "started by ruth on desk"
    assert b"ruth" not in bytes(told.body)


def test_a_result_without_a_fault_has_passed():
    run = a_run()
    operation = an_operation()
    passed = a_result(run, operation_id=operation.pk)
    failed = a_result(run, "lost_message", fault="Expected one, got two.")
    assert (passed.verdict, passed.operation) == ("passed", operation)
    assert (failed.verdict, failed.fault) == ("failed", "Expected one, got two.")


def test_a_result_is_an_entry_of_its_own():
    run = a_run()
    operation = an_operation()
    a_result(run, operation_id=operation.pk, kills=1)
    assert entry("drill_result").detail == {
        "drill": run.pk,
        "name": "two_claimants",
        "verdict": "passed",
        "kills": 1,
        "requests": 1,
        "effects": 1,
        "operation": str(operation.pk),
    }
    assert prove_all().is_whole


def test_the_database_refuses_a_result_that_the_run_does_not_plan():
    run = a_run("two_claimants")
    with pytest.raises(IntegrityError, match="in the plan of a run that goes on"):
        refused(run, "lost_message")
    assert not AuditEntry.objects.filter(event="drill_result").exists()


def test_the_database_refuses_a_result_after_the_end():
    run = a_run()
    a_result(run)
    end_drill(run=run)
    with pytest.raises(IntegrityError, match="in the plan of a run that goes on"):
        refused(run, "lost_message")
    assert AuditEntry.objects.filter(event="drill_result").count() == 1


def refused(run, name):
    with transaction.atomic():
        a_result(run, name)


@pytest.mark.django_db(transaction=True)
def test_an_end_waits_for_a_result_that_is_being_written():
    run = a_run()
    written, told = Event(), []

    def write():
        with transaction.atomic():
            a_result(run)
            written.set()
            time.sleep(0.5)

    def end():
        assert written.wait(timeout=20)
        told.extend(end_drill(run=run))

    at_once(write, end)
    assert [result.name for result in told] == ["two_claimants"]
    assert [each["name"] for each in entry("end_drill").detail["results"]] == ["two_claimants"]


def test_the_end_holds_every_result_and_names_what_is_missing():
    run = a_run("two_claimants", "lost_message", "other_payload")
    a_result(run, "lost_message", kills=1, fault="Nobody found it.")
    a_result(run)
    results = end_drill(run=run)
    assert [result.name for result in results] == ["two_claimants", "lost_message"]
    told = entry("end_drill").detail
    assert told["missing"] == ["other_payload"]
    assert [(each["name"], each["verdict"], each["kills"]) for each in told["results"]] == [
        ("two_claimants", "passed", 0),
        ("lost_message", "failed", 1),
    ]
    assert prove_all().is_whole


def test_one_runs_at_a_time_until_it_is_over_or_late():
    first = a_run(within_seconds=60)
    with pytest.raises(DrillIsRunning, match=f"Drill {first.pk} is running since") as refused:
        a_run()
    assert "would be taken for over at" in refused.value.remedy
    end_drill(run=first)
    late = a_run(within_seconds=0)
    assert a_run().pk > late.pk


def test_a_run_ends_once():
    run = a_run()
    end_drill(run=run)
    with pytest.raises(IntegrityError), transaction.atomic():
        end_drill(run=run)


def test_each_drill_of_a_run_has_one_result():
    run = a_run()
    a_result(run)
    with pytest.raises(IntegrityError, match="one_result_per_drill"), transaction.atomic():
        a_result(run)


@pytest.mark.parametrize(("verdict", "fault"), [("passed", "but"), ("failed", ""), ("fine", "")])
def test_the_database_knows_that_a_failure_says_why(verdict, fault):
    row = a_result(a_run())
    row.pk, row.name, row.verdict, row.fault = None, "lost_message", verdict, fault
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save(force_insert=True)


@pytest.mark.parametrize("role", ["the run-time role", "the superuser"])
@pytest.mark.parametrize("table", ["drillrun", "drillresult", "drillend"])
@pytest.mark.parametrize("act", ["UPDATE {} SET id = id + 1", "DELETE FROM {}"])
def test_neither_can_be_changed_or_removed(table, act, role):
    run = a_run()
    a_result(run)
    end_drill(run=run)
    name, why = (RUNTIME, "permission denied") if role != "the superuser" else ("NONE", "pgtrigger")
    with connection.cursor() as cursor:
        cursor.execute(f"SET ROLE {name}")
        with pytest.raises(ProgrammingError, match=why), transaction.atomic():
            cursor.execute(act.format(f"reconciliation_{table}"))
        cursor.execute(f"SET ROLE {RUNTIME}")
