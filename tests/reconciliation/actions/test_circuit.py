"""A receiver that fails is left alone, visibly, and asked again by one probe."""

from datetime import timedelta

import pytest
from django.db.models import F

from operations import clock
from operations.actions.stall_overdue import stall_overdue
from operations.actors import Actor
from operations.hints import RECONCILE
from operations.models import AuditEntry, Operation
from operations.protocol.queues import QueueFacts, queue
from operations.protocol.states import Question, Queue, State
from operations.queries.audit_proof import prove_all
from operations.queries.facts import facts_of
from reconciliation.actions import ask_receiver
from reconciliation.actions import reconcile_operation as reconciling
from reconciliation.actions.reconcile_operation import Reconciled, reconcile_operation
from reconciliation.models import LookupGate
from reconciliation.protocol.circuit import CircuitState
from reconciliation.queries.gates import gates
from reconciliation.tasks import sweep_reconcile
from tests.build import move_back
from tests.hinting import hints_of_fixture
from tests.receiver import configure
from tests.reconciliation.actions.scripted import NOT_FOUND, an_unanswered_order, scripted_fixture

__all__ = ["hints_of_fixture", "scripted_fixture"]

pytestmark = pytest.mark.django_db

BROKEN = (500, {}, b"")
PLACE = ("production", "sandbox")


@pytest.fixture(autouse=True)
def _circuit(scripted, settings) -> None:
    configure(settings, circuit_after_failures=2, circuit_pause_seconds=40)


def look(operation: Operation) -> Reconciled:
    outcome = reconcile_operation(operation_id=operation.pk, holder="worker-2")
    operation.refresh_from_db()
    return outcome


def take(operation: Operation) -> None:
    """A worker takes it, and is killed before it asks."""
    reconciling._take(operation.pk, "worker-1", Actor.system("reconciler"))


def fail(scripted, *, times: int = 1, answer=BROKEN) -> None:
    for _ in range(times):
        scripted.answers = [answer]
        assert look(an_unanswered_order()) is Reconciled.LOOKED_UP


def the_gate():
    return gates(now=clock.now())[PLACE]


def pause_is_over() -> None:
    step = timedelta(seconds=60)
    LookupGate.objects.update(
        open_until=F("open_until") - step, probe_ends_at=F("probe_ends_at") - step
    )


def lookups(scripted) -> int:
    return sum(1 for path in scripted.asked if path != "POST")


def test_enough_failures_in_a_row_open_it_and_nobody_asks(scripted):
    fail(scripted, times=2)
    waiting = an_unanswered_order()
    assert look(waiting) is Reconciled.HELD_BACK
    assert lookups(scripted) == 2
    gate = the_gate()
    assert (gate.circuit, gate.failures_in_row) == (CircuitState.OPEN, 2)
    assert "status 500" in gate.last_error
    assert waiting.next_try_at < clock.now()
    assert waiting.state == State.SENT_UNKNOWN
    assert not waiting.lookups.exists()


def test_an_answer_in_between_starts_the_count_anew(scripted):
    fail(scripted)
    fine = an_unanswered_order()
    scripted.answers = [(404, {}, (NOT_FOUND % fine.key).encode())]
    look(fine)
    fail(scripted)
    assert (the_gate().circuit, the_gate().failures_in_row) == (CircuitState.CLOSED, 1)


def test_a_refused_credential_opens_nothing(scripted):
    fail(scripted, times=3, answer=(401, {}, b"{}"))
    assert (the_gate().circuit, the_gate().failures_in_row) == (CircuitState.CLOSED, 0)
    assert "status 401" in the_gate().last_error


def test_a_mistake_of_ours_opens_nothing(scripted, monkeypatch):
    monkeypatch.setattr(ask_receiver, "connector", lambda config: None)
    for _ in range(3):
        assert look(an_unanswered_order()) is Reconciled.LOOKED_UP
    assert the_gate().circuit is CircuitState.CLOSED


def test_after_the_pause_one_probe_is_let_through(scripted):
    fail(scripted, times=2)
    pause_is_over()
    assert the_gate().circuit is CircuitState.HALF_OPEN
    probe, other = an_unanswered_order(), an_unanswered_order()
    take(probe)
    assert look(other) is Reconciled.HELD_BACK
    assert lookups(scripted) == 2


def test_a_probe_that_died_makes_room_for_another_with_its_lease(scripted):
    fail(scripted, times=2)
    pause_is_over()
    probe, other = an_unanswered_order(), an_unanswered_order()
    take(probe)
    assert look(other) is Reconciled.HELD_BACK
    pause_is_over()
    scripted.answers = [BROKEN]
    assert look(other) is Reconciled.LOOKED_UP


def test_a_probe_that_fails_opens_it_for_another_pause(scripted):
    fail(scripted, times=2)
    pause_is_over()
    fail(scripted)
    gate = the_gate()
    assert (gate.circuit, gate.failures_in_row) == (CircuitState.OPEN, 3)
    assert look(an_unanswered_order()) is Reconciled.HELD_BACK


def test_a_probe_that_is_answered_closes_it(scripted):
    fail(scripted, times=2)
    pause_is_over()
    probe = an_unanswered_order()
    scripted.answers = [(404, {}, (NOT_FOUND % probe.key).encode())]
    assert look(probe) is Reconciled.LOOKED_UP
    assert (the_gate().circuit, the_gate().failures_in_row) == (CircuitState.CLOSED, 0)
    fail(scripted)


def test_opening_and_closing_are_entries_of_the_receivers_trail(scripted):
    fail(scripted, times=2)
    pause_is_over()
    probe = an_unanswered_order()
    scripted.answers = [(404, {}, (NOT_FOUND % probe.key).encode())]
    look(probe)
    opened, closed = AuditEntry.objects.filter(stream="receivers").order_by("seq")
    assert (opened.event, closed.event) == ("open_circuit", "close_circuit")
    assert (opened.detail["environment"], opened.detail["receiver"]) == PLACE
    assert opened.detail["failures"] == 2
    assert "status 500" in opened.detail["error"]
    assert prove_all().is_whole


def test_what_an_open_circuit_holds_back_is_due_and_counted(scripted):
    fail(scripted, times=2)
    waiting = an_unanswered_order()
    look(waiting)
    assert queue(QueueFacts.of(facts_of(waiting)), clock.now()) is Queue.DUE
    assert the_gate().due_count == 1


def test_one_that_waits_longer_than_the_limit_is_shown_as_stalled(scripted, settings):
    configure(settings, due_limit_seconds=100)
    fail(scripted, times=2)
    waiting = an_unanswered_order()
    assert look(waiting) is Reconciled.HELD_BACK
    assert stall_overdue(limit=10) == 0
    move_back(waiting, 120)
    assert stall_overdue(limit=10) == 1
    review = waiting.reviews.get()
    assert review.question == Question.STALLED
    assert "longer than the limit of 100 s" in review.reason


def test_sweeps_hint_at_no_lookup_while_it_is_open(scripted, hints_of):
    fail(scripted, times=2)
    waiting = an_unanswered_order()
    elsewhere = an_unanswered_order(environment="staging")
    assert hints_of(sweep_reconcile) == [(RECONCILE, str(elsewhere.pk))]
    pause_is_over()
    assert set(hints_of(sweep_reconcile)) == {
        (RECONCILE, str(elsewhere.pk)),
        (RECONCILE, str(waiting.pk)),
    }


def test_the_other_environment_is_asked_meanwhile(scripted):
    fail(scripted, times=2)
    elsewhere = an_unanswered_order(environment="staging")
    scripted.answers = [(404, {}, (NOT_FOUND % elsewhere.key).encode())]
    assert look(elsewhere) is Reconciled.LOOKED_UP
    assert the_gate().circuit is CircuitState.OPEN
