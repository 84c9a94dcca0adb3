"""A worker that cannot reach the database can prove nothing, and so sends nothing."""

import time
from collections.abc import Callable, Iterator

import pytest

from operations.actions.dispatch_operation import Dispatched, dispatch_operation
from operations.models import AttemptEnd, Operation
from operations.protocol.states import Question, State
from reconciliation.actions.reconcile_operation import reconcile_operation
from tests.build import a_console_operation, move_back
from tests.campaigns.harness.proxy import Hold, Proxy, of_database, through
from tests.celery_workers import quick_configuration
from tests.receiver import SHORT, eventually, requests_and_effects
from tests.reconciliation.actions.worker_process import end, last_words, start_worker

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.race]

LEASE_OVER_SECONDS = 60
MARKS_FIRST_STATEMENT = b"pg_advisory_xact_lock_shared"


@pytest.fixture
def way(postgres_record) -> Iterator[Proxy]:
    """The worker's only way to the database."""
    with Proxy(of_database(postgres_record.database_url)) as proxy:
        yield proxy


@pytest.fixture
def send(way, sandbox, settings, postgres_record, tmp_path) -> Iterator[Callable]:
    """Start a worker that reaches the database that way, and see it cut off before its mark."""
    workers = []

    def start(operation: Operation) -> tuple:
        cut = way.hold(MARKS_FIRST_STATEMENT, "requests")
        worker = start_worker(
            sandbox,
            "sending",
            operation,
            settings,
            DATABASE_URL=through(postgres_record.database_url, way),
            OPSCONSOLE_CONFIG=str(quick_configuration(tmp_path)),
        )
        workers.append(worker)
        assert cut.has_begun.wait(timeout=60)
        operation.refresh_from_db()
        assert (operation.state, operation.claim_token is not None) == (State.READY, True)
        return worker, cut

    yield start
    for worker in workers:
        end(worker)


def test_cut_off_before_its_mark_it_sends_nothing_and_the_next_one_sends_once(send, sandbox):
    """Case 62: the lease is over by the database's clock, whatever the worker knows of it."""
    operation = a_console_operation()
    worker, cut = send(operation)
    move_back(operation, LEASE_OVER_SECONDS)
    sent = dispatch_operation(operation_id=operation.pk, holder="another worker")
    assert sent is Dispatched.CALLED
    cut.go_on()
    assert last_words(worker) == "held_back"
    operation.refresh_from_db()
    assert (operation.state, operation.attempts.count()) == (State.CONFIRMED, 1)
    assert requests_and_effects(sandbox, operation) == (1, 1)


def cut_off_at_the_commit(way: Proxy, cut: Hold, operation: Operation) -> Hold:
    """The mark is on disk, and its worker does not learn of it."""
    answer = way.hold(b"COMMIT", "answers")
    cut.go_on()
    assert answer.has_begun.wait(timeout=20)
    assert eventually(lambda: Operation.objects.get(pk=operation.pk).state == State.SENT_UNKNOWN)
    return answer


def look_up_by_another(operation: Operation) -> None:
    move_back(operation, LEASE_OVER_SECONDS)
    reconcile_operation(operation_id=operation.pk, holder="another worker")
    operation.refresh_from_db()
    assert operation.reviews.get().question == Question.UNKNOWN_OUTCOME


def test_an_answer_to_the_mark_that_comes_after_its_deadline_sends_nothing(way, send, sandbox):
    """Case 62: it gives up, the next one only looks up, and a person is asked."""
    operation = a_console_operation()
    worker, cut = send(operation)
    answer = cut_off_at_the_commit(way, cut, operation)
    look_up_by_another(operation)
    time.sleep(SHORT["send_within_seconds"])
    answer.go_on()
    last_words(worker)
    told = AttemptEnd.objects.get(attempt__operation=operation)
    assert (told.outcome, told.is_stale) == ("not_sent", True)
    operation.refresh_from_db()
    assert operation.state == State.SENT_UNKNOWN
    assert requests_and_effects(sandbox, operation) == (0, 0)


def test_an_answer_to_the_mark_that_never_comes_sends_nothing(way, send, sandbox):
    """Case 62: the same when the connection is gone for good."""
    operation = a_console_operation()
    worker, cut = send(operation)
    cut_off_at_the_commit(way, cut, operation)
    look_up_by_another(operation)
    way.reset()
    assert "OperationalError" in last_words(worker)
    operation.refresh_from_db()
    assert operation.state == State.SENT_UNKNOWN
    assert requests_and_effects(sandbox, operation) == (0, 0)
