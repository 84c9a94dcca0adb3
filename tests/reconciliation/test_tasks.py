"""Hints and the beat name tasks that exist; tasks take ids, and sweeps find what is due."""

import pytest
from celery import current_app
from django.conf import settings as product_settings

from operations import clock, hints
from operations import tasks as operations_tasks
from operations.models import AuditEntry
from operations.protocol.states import Cause, ClaimEnd, Executor, Question, Queue, State
from operations.queries.due import due_for_dispatch, due_for_reconcile
from operations.queries.queue_column import queue_column
from reconciliation import tasks as reconciliation_tasks
from tests.build import (
    a_claim,
    a_console_operation,
    a_marked_operation,
    a_refund,
    an_operation,
    move_back,
)
from tests.dispatching import dispatch
from tests.hinting import hints_of_fixture
from tests.receiver import requests_and_effects, sandbox_fixture, sandbox_process_fixture

__all__ = ["hints_of_fixture", "sandbox_fixture", "sandbox_process_fixture"]

pytestmark = pytest.mark.django_db


def due_now() -> list:
    return due_for_dispatch(now=clock.now(), limit=10)


def lookups_due_now() -> list:
    return due_for_reconcile(now=clock.now(), limit=10)


def test_every_hint_and_every_sweep_of_the_beat_is_a_registered_task():
    scheduled = [entry["task"] for entry in product_settings.CELERY_BEAT_SCHEDULE.values()]
    wanted = {hints.DISPATCH, hints.RECONCILE, hints.RECONCILE_DUE, hints.STATEMENT, *scheduled}
    assert wanted == {
        "operations.tasks.dispatch_operation",
        "operations.tasks.sweep_dispatch",
        "operations.tasks.sweep_expiries",
        "reconciliation.tasks.reconcile_due",
        "reconciliation.tasks.reconcile_operation",
        "reconciliation.tasks.run_statement",
        "reconciliation.tasks.sweep_reconcile",
        "reconciliation.tasks.sweep_statements",
    }
    assert wanted <= set(current_app.tasks)


def test_the_tasks_send_and_look_up_by_id(sandbox):
    operation = a_console_operation()
    sandbox.fault(operation.key, "lose_reply")
    operations_tasks.dispatch_operation(str(operation.pk))
    move_back(operation, 5)
    reconciliation_tasks.reconcile_operation(str(operation.pk))
    operation.refresh_from_db()
    assert operation.state == State.CONFIRMED
    assert requests_and_effects(sandbox, operation) == (1, 1)


def test_an_id_of_nothing_is_nothing_to_do():
    nobody = "00000000-0000-0000-0000-000000000000"
    operations_tasks.dispatch_operation(nobody)
    reconciliation_tasks.reconcile_operation(nobody)


def test_the_sweep_finds_what_is_due_and_nothing_else():
    due = a_console_operation()
    an_operation()  # its agent sends it
    a_refund(executor=Executor.CONSOLE)  # it waits for people
    assert due_now() == [due.pk]


def test_the_sweep_finds_the_longest_due_first():
    first, second = a_console_operation(), a_console_operation()
    move_back(second, 60)
    assert due_now() == [second.pk, first.pk]


def test_lookups_are_due_after_the_deadline_and_the_lease(sandbox):
    operation, _ = a_marked_operation()  # under a lease of 60 s
    assert lookups_due_now() == []
    move_back(operation, 10)
    assert lookups_due_now() == []
    move_back(operation, 60)
    assert lookups_due_now() == [operation.pk]


def test_a_lookup_asked_for_during_the_send_waits_for_the_deadline(sandbox):
    operation = a_console_operation()
    sandbox.fault(operation.key, "lose_reply")
    dispatch(operation)
    type(operation).objects.filter(pk=operation.pk).update(next_try_at=clock.now())
    assert lookups_due_now() == []
    move_back(operation, 3)
    assert lookups_due_now() == [operation.pk]


def test_sweeps_hint_and_touch_no_row(sandbox):
    operation = a_console_operation()
    before = type(operation).objects.values().get(pk=operation.pk)
    operations_tasks.sweep_dispatch()
    reconciliation_tasks.sweep_reconcile()
    operations_tasks.sweep_expiries()
    assert type(operation).objects.values().get(pk=operation.pk) == before


def test_many_due_at_one_receiver_are_hinted_at_together(sandbox, hints_of):
    """And one alone, or one that no receiver can be asked about, by its own id."""
    due = [an_unknown(sandbox) for _ in range(3)]
    alone = an_unknown(sandbox, environment="staging")
    assert hints_of(reconciliation_tasks.sweep_reconcile) == [
        (hints.RECONCILE_DUE, "production", "sandbox"),
        (hints.RECONCILE, str(alone.pk)),
    ]
    reconciliation_tasks.reconcile_due("production", "sandbox")
    for operation in due:
        operation.refresh_from_db()
        assert operation.state == State.CONFIRMED
        assert requests_and_effects(sandbox, operation) == (1, 1)
    assert hints_of(reconciliation_tasks.sweep_reconcile) == [(hints.RECONCILE, str(alone.pk))]


def an_unknown(sandbox, **given):
    operation = a_console_operation(**given)
    sandbox.fault(operation.key, "lose_reply", environment=operation.environment)
    dispatch(operation)
    move_back(operation, 5)
    return operation


def test_an_old_unknown_comes_to_people_once_however_often_it_is_swept(sandbox):
    """Case 35: its worker is gone for half an hour."""
    operation = a_console_operation()
    sandbox.fault(operation.key, "hang", seconds=0)
    dispatch(operation)
    move_back(operation, 1800)

    def sweep() -> tuple[dict, int]:
        operations_tasks.sweep_expiries()
        for operation_id in lookups_due_now():
            reconciliation_tasks.reconcile_operation(str(operation_id))
        row = type(operation).objects.values().get(pk=operation.pk)
        return row, AuditEntry.objects.filter(operation=operation).count()

    first, second = sweep(), sweep()
    assert first == second
    asked = sorted(review.question for review in operation.reviews.all())
    assert asked == [Question.STALLED, Question.UNKNOWN_OUTCOME]  # nobody took it, nobody knows
    in_queue = type(operation).objects.annotate(queue=queue_column(clock.now())).get()
    assert in_queue.queue == Queue.UNRESOLVED
    assert requests_and_effects(sandbox, operation) == (1, 0)


def test_the_sweep_of_expiries_ends_claims_and_requests_and_shows_what_waits(sandbox):
    claimed, asked, waiting = an_operation(), a_refund(), a_console_operation()
    a_claim(claimed)
    for operation in (claimed, asked, waiting):
        move_back(operation, 4000)
    operations_tasks.sweep_expiries()
    claimed.refresh_from_db()
    asked.refresh_from_db()
    assert claimed.claims.get().end == ClaimEnd.EXPIRED
    assert (asked.state, asked.cause) == (State.CANCELLED, Cause.EXPIRED)
    assert waiting.reviews.get().question == Question.STALLED
