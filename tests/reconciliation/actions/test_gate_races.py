"""Workers at once, on real connections, at one receiver's gate."""

import threading
from functools import partial

import pytest
from django.db import connection, transaction

from operations import clock
from operations.actors import Actor
from operations.models import AuditEntry, Lookup, Operation
from reconciliation.actions import ask_receiver
from reconciliation.actions import reconcile_operation as reconciling
from reconciliation.actions.reconcile_operation import Reconciled, reconcile_operation
from reconciliation.models import LookupGate
from reconciliation.queries.gates import gates
from tests.receiver import configure, eventually
from tests.reconciliation.actions.scripted import NOT_FOUND, an_unanswered_order, scripted_fixture
from tests.together import at_once, meanwhile

__all__ = ["scripted_fixture"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.race]

PLACE = ("production", "sandbox")


def take(operation: Operation) -> str:
    """Whether a worker got through the gate with it; it asks nothing."""
    holder = threading.current_thread().name
    try:
        reconciling._take(operation.pk, holder, Actor.system("reconciler"))
    except reconciling._HeldBack:
        return "held back"
    return "taken"


def test_of_many_at_once_as_many_pass_as_have_room(scripted, settings):
    configure(settings, lookups_at_once=3)
    for number in range(1, 4):
        waiting = [an_unanswered_order() for _ in range(6)]
        outcomes = at_once(*[partial(take, each) for each in waiting])
        assert sorted(outcomes) == (
            ["held back"] * 3 + ["taken"] * 3 if number == 1 else ["held back"] * 6
        )
        assert gates(now=clock.now())[PLACE].in_flight == 3


def test_of_many_at_once_one_spends_the_budgets_next(scripted, settings):
    configure(settings, lookups_per_minute=1, lookups_at_once=50)
    outcomes = at_once(*[partial(take, an_unanswered_order()) for _ in range(6)])
    assert sorted(outcomes) == ["held back"] * 5 + ["taken"]


def test_of_many_at_once_one_is_the_probe(scripted, settings):
    configure(settings, lookups_at_once=50)
    now = clock.now()
    LookupGate.objects.create(
        environment=PLACE[0], receiver=PLACE[1], failures_in_row=5, opened_at=now, open_until=now
    )
    outcomes = at_once(*[partial(take, an_unanswered_order()) for _ in range(6)])
    assert sorted(outcomes) == ["held back"] * 5 + ["taken"]


def test_failures_at_once_open_it_once(scripted, settings):
    configure(settings, circuit_after_failures=3, lookups_at_once=50)
    waiting = [an_unanswered_order() for _ in range(6)]
    scripted.answers = [(500, {}, b"")] * 6
    look = [partial(reconcile_operation, operation_id=each.pk, holder="w") for each in waiting]
    outcomes = at_once(*look)
    asked = outcomes.count(Reconciled.LOOKED_UP)
    assert asked >= 3
    assert asked + outcomes.count(Reconciled.HELD_BACK) == 6
    assert LookupGate.objects.get().failures_in_row == asked
    assert AuditEntry.objects.filter(stream="receivers", event="open_circuit").count() == 1


def test_a_receiver_that_hangs_leaves_a_worker_to_the_others(scripted, settings, monkeypatch):
    """Four workers meet a long queue of one that hangs, and behind it a lookup somewhere else."""
    monkeypatch.setattr(ask_receiver, "ASK_SECONDS", 3)
    configure(settings, lookups_at_once=3)
    scripted.silent_in = {"production"}
    hanging = [an_unanswered_order() for _ in range(8)]
    other = an_unanswered_order(environment="staging")
    scripted.answers = [(404, {}, (NOT_FOUND % other.key).encode())]
    todo = [each.pk for each in (*hanging, other)]
    turn = threading.Lock()

    def work() -> list[Reconciled]:
        done = []
        while True:
            with turn:
                if not todo:
                    return done
                operation_id = todo.pop(0)
            done.append(reconcile_operation(operation_id=operation_id, holder="worker"))

    done = [each for part in at_once(*[work] * 4) for each in part]
    assert (done.count(Reconciled.LOOKED_UP), done.count(Reconciled.HELD_BACK)) == (4, 5)
    answered_at = other.lookups.get().answered_at
    assert Lookup.objects.filter(operation__in=hanging, answered_at__gt=answered_at).count() == 3


def test_the_last_place_is_counted_after_the_wait_for_the_gate(scripted, settings):
    """Two who come while a third holds the gate do not both see the room that it left."""
    configure(settings, lookups_at_once=1)
    first, second = an_unanswered_order(), an_unanswered_order()
    LookupGate.objects.create(environment=PLACE[0], receiver=PLACE[1])
    both = partial(at_once, partial(take, first), partial(take, second))
    with meanwhile(both) as taken, transaction.atomic():
        LookupGate.objects.select_for_update().get()
        assert eventually(lambda: waiting_for_a_lock() >= 2)
    assert sorted(taken.result()) == ["held back", "taken"]


def waiting_for_a_lock() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return cursor.fetchone()[0]
