"""So many lookups at once and so many a minute; the rest waits, and nobody is alarmed."""

from datetime import timedelta

import pytest
from django.db.models import F

from operations import clock
from operations.actions.stall_overdue import stall_overdue
from operations.actors import Actor
from operations.models import Operation
from reconciliation.actions import reconcile_operation as reconciling
from reconciliation.actions.reconcile_operation import Reconciled, reconcile_operation
from reconciliation.models import HeldLookup, LookupGate
from reconciliation.protocol.circuit import HoldReason
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


def held(operation: Operation) -> HeldLookup:
    return HeldLookup.objects.get(pk=operation.pk)


def test_as_many_at_once_as_the_profile_says(scripted, settings):
    configure(settings, lookups_at_once=2)
    first, second, third = (an_unanswered_order() for _ in range(3))
    take(first)
    take(second)
    assert look(third) is Reconciled.HELD_BACK
    assert held(third).reason == HoldReason.BUSY
    gate = gates(now=clock.now())[PLACE]
    assert (gate.in_flight, gate.held_count) == (2, 1)
    assert scripted.asked.count("POST") == len(scripted.asked)


def test_a_killed_workers_place_comes_back_with_its_lease(scripted, settings):
    configure(settings, lookups_at_once=1)
    killed, other = an_unanswered_order(), an_unanswered_order()
    take(killed)
    assert look(other) is Reconciled.HELD_BACK
    move_back(killed, reconciling.LEASE_SECONDS)
    move_back(other, 600)
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
    assert held(second).reason == HoldReason.BUDGET
    assert 9 < (second.next_try_at - clock.now()).total_seconds() < 13
    LookupGate.objects.update(next_ask_at=F("next_ask_at") - timedelta(seconds=10))
    move_back(second, 20)
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
    assert held(second).reason == HoldReason.RETRY_AFTER
    assert (second.next_try_at - clock.now()).total_seconds() > 75
    assert gates(now=clock.now())[PLACE].retry_after is not None


def test_retry_after_of_another_answer_is_that_operations_own(scripted):
    first, second = an_unanswered_order(), an_unanswered_order()
    scripted.answers = [(500, {"Retry-After": "77"}, b"")]
    look(first)
    nothing_there(scripted, second)
    assert look(second) is Reconciled.LOOKED_UP


def test_waiting_for_room_alarms_nobody_however_long(scripted, settings):
    configure(settings, lookups_at_once=1, lookup_limit_seconds=100, due_limit_seconds=100)
    take(an_unanswered_order())
    waiting = an_unanswered_order()
    for times in (1, 2, 3):
        move_back(waiting, 90)
        assert look(waiting) is Reconciled.HELD_BACK
        assert held(waiting).times == times
    assert stall_overdue(limit=10) == 0
    assert not waiting.reviews.exists()
    assert waiting.could_not_ask_since is None


def test_a_lookup_that_got_through_is_not_counted_as_held(scripted, settings):
    configure(settings, lookups_per_minute=6)
    waiting = an_unanswered_order()
    LookupGate.objects.create(
        environment=PLACE[0], receiver=PLACE[1], next_ask_at=clock.now() + timedelta(seconds=5)
    )
    assert look(waiting) is Reconciled.HELD_BACK
    LookupGate.objects.update(next_ask_at=None)
    move_back(waiting, 60)
    nothing_there(scripted, waiting)
    look(waiting)
    assert gates(now=clock.now())[PLACE].held_count == 0
