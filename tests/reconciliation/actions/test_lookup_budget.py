"""So many lookups at once and so many a minute; the rest waits, and nobody is alarmed."""

from datetime import timedelta

import pytest
from django.db.models import F

from operations import clock
from operations.actions.stall_overdue import stall_overdue
from operations.actors import Actor
from operations.models import AuditEntry, Operation
from operations.protocol.states import Question
from reconciliation.actions import reconcile_operation as reconciling
from reconciliation.actions.ask_receiver import LEASE_SECONDS
from reconciliation.actions.reconcile_operation import Reconciled, reconcile_operation
from reconciliation.models import LookupGate
from reconciliation.queries.gates import gates
from tests.build import move_back
from tests.receiver import configure
from tests.reconciliation.actions.scripted import NOT_FOUND, an_unanswered_order, scripted_fixture

__all__ = ["scripted_fixture"]

pytestmark = pytest.mark.django_db

PLACE = ("production", "sandbox")


def look(operation: Operation) -> Reconciled:
    outcome = reconcile_operation(operation_id=operation.pk, holder="worker-2")
    operation.refresh_from_db()
    return outcome


def nothing_there(scripted, operation: Operation) -> None:
    scripted.answers = [(404, {}, (NOT_FOUND % operation.key).encode())]


def take(operation: Operation) -> None:
    """A worker takes it, and is killed before it asks."""
    reconciling._take(operation.pk, "worker-1", Actor.system("reconciler"))


def test_as_many_at_once_as_the_profile_says(scripted, settings):
    configure(settings, lookups_at_once=2)
    first, second, third = (an_unanswered_order() for _ in range(3))
    take(first)
    take(second)
    assert look(third) is Reconciled.HELD_BACK
    gate = gates(now=clock.now())[PLACE]
    assert (gate.in_flight, gate.due_count) == (2, 1)
    assert scripted.asked.count("POST") == len(scripted.asked)


def test_a_killed_workers_place_comes_back_with_its_lease(scripted, settings):
    configure(settings, lookups_at_once=1)
    killed, other = an_unanswered_order(), an_unanswered_order()
    take(killed)
    assert look(other) is Reconciled.HELD_BACK
    move_back(killed, LEASE_SECONDS)
    nothing_there(scripted, other)
    assert look(other) is Reconciled.LOOKED_UP


def test_the_other_environment_has_room_of_its_own(scripted, settings):
    configure(settings, lookups_at_once=1)
    take(an_unanswered_order())
    elsewhere = an_unanswered_order(environment="staging")
    nothing_there(scripted, elsewhere)
    assert look(elsewhere) is Reconciled.LOOKED_UP


def test_so_many_a_minute_evenly_spaced(scripted, settings):
    configure(settings, lookups_per_minute=6)
    first, second = an_unanswered_order(), an_unanswered_order()
    nothing_there(scripted, first)
    assert look(first) is Reconciled.LOOKED_UP
    assert look(second) is Reconciled.HELD_BACK
    assert 9 < (LookupGate.objects.get().next_ask_at - clock.now()).total_seconds() <= 10
    LookupGate.objects.update(next_ask_at=F("next_ask_at") - timedelta(seconds=10))
    nothing_there(scripted, second)
    assert look(second) is Reconciled.LOOKED_UP


def test_one_that_was_held_back_spent_nothing(scripted, settings):
    configure(settings, lookups_per_minute=6, lookups_at_once=1)
    take(an_unanswered_order())
    LookupGate.objects.update(next_ask_at=clock.now() - timedelta(seconds=1))
    before = LookupGate.objects.get().next_ask_at
    waiting = an_unanswered_order()
    assert look(waiting) is Reconciled.HELD_BACK
    assert LookupGate.objects.get().next_ask_at == before
    assert not waiting.claims.filter(purpose="reconcile").exists()


def test_retry_after_holds_the_whole_receiver_back(scripted):
    first, second = an_unanswered_order(), an_unanswered_order()
    scripted.answers = [(503, {"Retry-After": "77"}, b"")]
    look(first)
    assert look(second) is Reconciled.HELD_BACK
    assert (gates(now=clock.now())[PLACE].retry_after - clock.now()).total_seconds() > 75


def test_retry_after_of_another_answer_is_that_operations_own(scripted):
    first, second = an_unanswered_order(), an_unanswered_order()
    scripted.answers = [(500, {"Retry-After": "77"}, b"")]
    look(first)
    nothing_there(scripted, second)
    assert look(second) is Reconciled.LOOKED_UP


def test_what_has_no_room_is_written_down_nowhere_and_stays_due(scripted, settings):
    configure(settings, lookups_at_once=1)
    take(an_unanswered_order())
    waiting = an_unanswered_order()
    row = Operation.objects.values().get(pk=waiting.pk)
    entries = AuditEntry.objects.count()
    assert look(waiting) is Reconciled.HELD_BACK
    assert Operation.objects.values().get(pk=waiting.pk) == row
    assert AuditEntry.objects.count() == entries


def test_waiting_in_a_queue_that_moves_alarms_nobody(scripted, settings):
    configure(settings, lookups_at_once=1, due_limit_seconds=100)
    waiting, answered = an_unanswered_order(), an_unanswered_order()
    move_back(waiting, 300)
    nothing_there(scripted, answered)
    look(answered)
    assert stall_overdue(limit=10) == 0


def test_one_that_a_moving_queue_leaves_behind_is_shown(scripted, settings):
    configure(settings, lookups_at_once=1, due_limit_seconds=100)
    waiting, answered = an_unanswered_order(), an_unanswered_order()
    move_back(waiting, 1300)
    nothing_there(scripted, answered)
    look(answered)
    assert stall_overdue(limit=10) == 1
    assert "No worker is free, or sandbox answers no lookup." in waiting.reviews.get().reason


def test_a_queue_that_does_not_move_is_shown(scripted, settings):
    """A receiver that fails answers nothing, however often it is asked."""
    configure(settings, due_limit_seconds=100)
    waiting, failing = an_unanswered_order(), an_unanswered_order()
    move_back(waiting, 300)
    scripted.answers = [(500, {}, b"")]
    look(failing)
    assert stall_overdue(limit=10) == 1
    assert waiting.reviews.get().question == Question.STALLED
