"""A worker is really killed in each window of a dispatch; requests and effects are counted."""

import pytest

from operations.actions.dispatch_operation import Dispatched, dispatch_operation
from operations.models import Attempt, AttemptEnd, Operation
from operations.protocol.states import Purpose, Question, State
from reconciliation.actions.reconcile_operation import Reconciled, reconcile_operation
from tests.build import a_console_operation, move_back
from tests.receiver import eventually, requests_and_effects
from tests.reconciliation.actions.worker_process import let_a_worker_die, start_worker

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.race]

LEASE_OVER_SECONDS = 60


def dispatch(operation: Operation) -> Dispatched:
    outcome = dispatch_operation(operation_id=operation.pk, holder="next worker")
    operation.refresh_from_db()
    return outcome


def look(operation: Operation) -> Reconciled:
    move_back(operation, LEASE_OVER_SECONDS)
    outcome = reconcile_operation(operation_id=operation.pk, holder="next worker")
    operation.refresh_from_db()
    return outcome


def test_killed_before_the_mark_it_is_ready_and_sent_once_by_the_next(sandbox, settings):
    operation = a_console_operation()
    let_a_worker_die(sandbox, "before_the_mark", operation, settings)
    assert operation.state == State.READY
    assert requests_and_effects(sandbox, operation) == (0, 0)
    assert dispatch(operation) is Dispatched.NOT_DUE  # its lease still runs
    move_back(operation, LEASE_OVER_SECONDS)
    dispatch(operation)
    assert operation.state == State.CONFIRMED
    assert requests_and_effects(sandbox, operation) == (1, 1)


def test_killed_after_the_mark_it_was_never_sent_and_a_person_is_asked(sandbox, settings):
    operation = a_console_operation()
    let_a_worker_die(sandbox, "after_the_mark", operation, settings)
    assert operation.state == State.SENT_UNKNOWN
    assert dispatch(operation) is Dispatched.NOT_DUE
    look(operation)
    assert operation.state == State.SENT_UNKNOWN
    assert [r.question for r in operation.reviews.all()] == [Question.UNKNOWN_OUTCOME]
    assert requests_and_effects(sandbox, operation) == (0, 0)


def test_killed_while_the_receiver_answers_the_lookup_confirms(sandbox, settings):
    operation = a_console_operation()
    sandbox.fault(operation.key, "answer_late", seconds=5)
    worker = start_worker(sandbox, "while_waiting", operation, settings)
    assert eventually(lambda: sandbox.ledger(operation.key)["effects"], within_seconds=20)
    worker.kill()
    worker.communicate(timeout=30)
    operation.refresh_from_db()
    assert operation.state == State.SENT_UNKNOWN
    look(operation)
    assert operation.state == State.CONFIRMED
    assert requests_and_effects(sandbox, operation) == (1, 1)


def test_killed_after_the_response_the_lookup_confirms(sandbox, settings):
    operation = a_console_operation()
    let_a_worker_die(sandbox, "after_the_response", operation, settings)
    assert operation.state == State.SENT_UNKNOWN
    assert not AttemptEnd.objects.filter(attempt__operation=operation).exists()
    assert dispatch(operation) is Dispatched.NOT_DUE
    look(operation)
    assert operation.state == State.CONFIRMED
    assert requests_and_effects(sandbox, operation) == (1, 1)


def test_killed_after_the_save_nothing_is_left_to_do(sandbox, settings):
    operation = a_console_operation()
    let_a_worker_die(sandbox, "after_the_save", operation, settings)
    assert operation.state == State.CONFIRMED
    assert dispatch(operation) is Dispatched.NOT_DUE
    assert look(operation) is Reconciled.NOT_DUE
    assert requests_and_effects(sandbox, operation) == (1, 1)


def test_a_lookup_that_was_killed_is_asked_again_after_its_lease(sandbox, settings):
    operation = a_console_operation()
    let_a_worker_die(sandbox, "after_the_response", operation, settings)
    move_back(operation, LEASE_OVER_SECONDS)
    let_a_worker_die(sandbox, "after_the_lookup", operation, settings)
    assert (operation.state, operation.claim_purpose) == (State.SENT_UNKNOWN, Purpose.RECONCILE)
    assert not operation.lookups.exists()
    look(operation)
    assert operation.state == State.CONFIRMED


def test_a_request_that_kills_its_workers_goes_to_a_person_after_three_claims(sandbox, settings):
    """Case 68: it is claimed no more, with the count as the reason, and blocks nobody behind it."""
    poison, other = a_console_operation(), a_console_operation()
    for _ in range(3):
        let_a_worker_die(sandbox, "while_building_the_request", poison, settings)
        move_back(poison, LEASE_OVER_SECONDS)
    assert dispatch(poison) is Dispatched.NOT_DUE
    assert (poison.state, poison.next_try_at) == (State.READY, None)
    review = poison.reviews.get()
    assert (review.question, "3 times" in review.reason) == (Question.STALLED, True)
    assert dispatch(other) is Dispatched.CALLED
    assert not Attempt.objects.filter(operation=poison).exists()
    assert requests_and_effects(sandbox, poison) == (0, 0)
