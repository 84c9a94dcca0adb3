"""Many lookups at once leave behind what each would leave alone, and take turns as each would."""

import threading
import time
from datetime import timedelta

import pytest
from django.db import connection, transaction

from operations import clock
from operations.actors import Actor
from operations.models import AuditEntry, Lookup, Operation
from operations.protocol.states import Channel, Question, State, Verdict
from operations.registry import receiver as configured
from reconciliation.actions import reconcile_due as looking
from reconciliation.actions import record_lookups as recording
from reconciliation.actions.ask_receiver import LEASE_SECONDS
from reconciliation.actions.reconcile_due import reconcile_due
from reconciliation.models import LookupGate
from reconciliation.queries.gates import gates
from tests.build import a_receipt, move_back
from tests.receiver import configure
from tests.reconciliation.actions.scenes import absent, found, raw, reported, says, tell
from tests.reconciliation.actions.scripted import scripted_fixture
from tests.together import at_once

__all__ = ["scripted_fixture"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.race]

SECOND = timedelta(seconds=1)
PRODUCTION, STAGING = ("production", "sandbox"), ("staging", "sandbox")


def look_up_all(place=PRODUCTION) -> int:
    environment, receiver = place
    return reconcile_due(config=configured(receiver, environment), holder="worker-2")


def test_each_has_a_claim_and_a_token_of_its_own(scripted):
    operations = [found(scripted) for _ in range(5)]
    assert look_up_all() == 5
    tokens = [each.claims.get(purpose="reconcile").token for each in operations]
    assert len(set(tokens)) == 5
    assert [each.lookups.get().token for each in operations] == tokens


def test_only_what_is_due_and_free_at_this_receiver_is_taken(scripted):
    due = found(scripted)
    later = found(scripted)
    Operation.objects.filter(pk=later.pk).update(next_try_at=clock.now() + 600 * SECOND)
    held = found(scripted)
    Operation.objects.filter(pk=held.pk).update(
        claim_given_back=False, claim_expires_at=clock.now() + 600 * SECOND
    )
    elsewhere = found(scripted, environment="staging")
    assert look_up_all() == 1
    assert [each.lookups.count() for each in (due, later, held, elsewhere)] == [1, 0, 0, 0]


def test_one_that_its_sender_may_still_send_is_not_asked_about(scripted, settings):
    configure(settings, send_within_seconds=60)
    operation = found(scripted)
    Operation.objects.filter(pk=operation.pk).update(next_try_at=clock.now())
    assert look_up_all() == 0


def test_what_another_has_locked_is_passed_over_and_nobody_waits(scripted):
    locked, other = found(scripted), found(scripted)
    with transaction.atomic():
        Operation.objects.select_for_update().get(pk=locked.pk)
        assert at_once(look_up_all) == [1]
    assert (locked.lookups.count(), other.lookups.count()) == (0, 1)


def test_one_that_is_locked_when_its_answer_comes_is_written_after_it(scripted, monkeypatch):
    """The others are written meanwhile."""
    locked, other = found(scripted), found(scripted)
    is_taken, is_locked = threading.Event(), threading.Event()
    ask = looking.ask_receiver

    def ask_once_it_is_locked(asking):
        is_taken.set()
        is_locked.wait(timeout=10)
        return ask(asking)

    monkeypatch.setattr(looking, "ask_receiver", ask_once_it_is_locked)

    def hold() -> None:
        is_taken.wait(timeout=10)
        with transaction.atomic():
            Operation.objects.select_for_update().get(pk=locked.pk)
            is_locked.set()
            while not other.lookups.exists():
                time.sleep(0.02)
            assert not locked.lookups.exists()

    assert at_once(hold, look_up_all)[1] == 2
    locked.refresh_from_db()
    assert locked.state == State.CONFIRMED


def test_workers_at_once_take_different_ones(scripted):
    operations = [found(scripted) for _ in range(12)]
    counts = at_once(*[look_up_all] * 3)
    assert sum(counts) == 12
    assert Lookup.objects.count() == 12
    assert {each.lookups.count() for each in operations} == {1}


def test_an_effect_that_two_of_them_name_confirms_one(scripted):
    value = {"effect_id": "eff-of-both"}
    both = [says(scripted, said=value), says(scripted, said=value)]
    assert look_up_all() == 2
    for each in both:
        each.refresh_from_db()
    assert sorted(each.state for each in both) == [State.CONFIRMED, State.SENT_UNKNOWN]
    [left] = [each for each in both if each.state == State.SENT_UNKNOWN]
    assert left.receipts.get(channel=Channel.LOOKUP).verdict == Verdict.MISMATCH
    assert all(each.lookups.count() == 1 for each in both)


def test_they_are_as_many_at_once_as_the_receiver_takes(scripted, settings):
    configure(settings, lookups_at_once=2)
    for _ in range(5):
        found(scripted)
    taken = looking.take_due(
        config=configured("sandbox", "production"),
        holder="killed",
        actor=Actor.system("reconciler"),
        limit=32,
    )
    assert len(taken.askings) == 2
    assert look_up_all() == 0
    gate = gates(now=clock.now())[PRODUCTION]
    assert (gate.in_flight, gate.due_count) == (2, 3)
    for asking in taken.askings:
        move_back(asking.operation, LEASE_SECONDS)
    assert look_up_all() == 5


def test_a_budget_spaces_them(scripted, settings):
    configure(settings, lookups_per_minute=600)
    for _ in range(5):
        found(scripted)
    started_at = time.monotonic()
    assert look_up_all() == 5
    assert time.monotonic() - started_at > 0.4


def test_of_a_circuit_whose_pause_is_over_one_goes_out_first(scripted, settings):
    configure(settings, circuit_after_failures=2)
    broken = [raw(scripted, answer=(500, {}, b"")) for _ in range(3)]
    assert look_up_all() == 3
    assert look_up_all() == 0
    now = clock.now()
    LookupGate.objects.update(open_until=now)
    for each in broken:
        move_back(each, 100)
        tell(scripted, each, a_receipt(each))
    assert look_up_all() == 3
    probe, *others = (each.asked_at for each in Lookup.objects.order_by("pk")[3:])
    assert [probe < other for other in others] == [True, True]
    assert LookupGate.objects.get().opened_at is None


def test_failures_that_come_together_open_the_circuit_once(scripted, settings):
    configure(settings, circuit_after_failures=2, lookups_at_once=8)
    for _ in range(8):
        raw(scripted, answer=(500, {}, b""))
    assert look_up_all() == 8
    assert LookupGate.objects.get().failures_in_row == 8
    assert AuditEntry.objects.filter(stream="receivers", event="open_circuit").count() == 1


@pytest.mark.parametrize("room", [1, 4])
def test_a_reported_confirmation_has_its_turn_before_a_long_queue_of_unknowns(
    scripted, settings, room
):
    """However little room there is: the longest due first, and one of each four."""
    configure(settings, lookups_at_once=room)
    told = reported(scripted, said={})
    move_back(told, 500)
    for _ in range(12):
        absent(scripted)
    taken = looking.take_due(
        config=configured("sandbox", "production"),
        holder="worker-1",
        actor=Actor.system("reconciler"),
        limit=32,
    )
    assert len(taken.askings) == room
    assert told.pk in {each.operation.pk for each in taken.askings}


def test_unknowns_that_are_due_for_longer_leave_each_fourth_place_to_a_confirmation(
    scripted, settings
):
    configure(settings, lookups_at_once=4)
    told = reported(scripted, said={})
    for _ in range(12):
        move_back(absent(scripted), 600)
    assert look_up_all() >= 4
    assert told.lookups.exists()


def test_an_answer_that_can_not_be_written_down_is_shown_and_put_off(scripted, monkeypatch):
    """A mistake of ours in one of them: the others are written, and it is not taken for ever."""
    bad, good = says(scripted, said={"status": "pending"}), found(scripted)

    def broken(**_given):
        raise ZeroDivisionError

    monkeypatch.setattr(recording, "record_lookup", broken)
    assert look_up_all() == 2
    good.refresh_from_db()
    bad.refresh_from_db()
    assert good.state == State.CONFIRMED
    assert bad.next_try_at > clock.now() + 200 * SECOND
    review = bad.reviews.get()
    assert (review.question, "ZeroDivisionError" in review.reason) == (Question.STALLED, True)


def test_an_answer_that_comes_after_the_lease_leaves_the_schedule_to_the_next_holder(
    scripted, monkeypatch
):
    late, other = absent(scripted), found(scripted)
    ask = looking.ask_receiver

    def ask_long(asking):
        if asking.operation.pk == late.pk:
            Operation.objects.filter(pk=late.pk).update(
                claim_token=asking.token + 1000, claim_holder="the next one"
            )
            connection.close()
        return ask(asking)

    monkeypatch.setattr(looking, "ask_receiver", ask_long)
    assert look_up_all() == 2
    late.refresh_from_db()
    assert late.lookups.count() == 1
    assert (late.claim_holder, late.claim_given_back) == ("the next one", False)
    other.refresh_from_db()
    assert other.state == State.CONFIRMED
