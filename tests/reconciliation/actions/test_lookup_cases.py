"""What a lookup says when it says nothing, and when "not found" is said too early (52, 54)."""

from datetime import timedelta

import pytest
from django.db.models import F

from operations import clock
from operations.actions.stall_overdue import stall_overdue
from operations.models import Operation
from operations.protocol.payloads import dumps
from operations.protocol.states import LookupResult, Question, State
from reconciliation.actions import ask_receiver
from reconciliation.actions.reconcile_operation import reconcile_operation
from reconciliation.models import LookupGate
from tests.build import a_receipt, move_back
from tests.receiver import configure
from tests.reconciliation.actions.scripted import (
    NOT_FOUND,
    SILENCE,
    an_unanswered_order,
    scripted_fixture,
)

__all__ = ["scripted_fixture"]

pytestmark = pytest.mark.django_db

IN_TURN = [
    (SILENCE, {}, b""),
    (401, {}, b'{"error":"unauthorized"}'),
    (429, {"Retry-After": "90"}, b""),
    (500, {}, b"{}"),
    (200, {}, b"<html><p>We will be back soon.</p></html>"),
    (200, {}, b"{}"),
]


def look(operation: Operation) -> None:
    reconcile_operation(operation_id=operation.pk, holder="worker-2")
    operation.refresh_from_db()


def seconds_until_next(operation: Operation) -> float:
    return (operation.next_try_at - clock.now()).total_seconds()


def not_found(operation: Operation) -> tuple[int, dict[str, str], bytes]:
    return 404, {}, (NOT_FOUND % operation.key).encode()


def test_every_way_of_not_answering_leaves_the_outcome_unknown(scripted, settings, monkeypatch):
    """Case 54: each in its turn; the circuit has patience, so that each answer is met."""
    monkeypatch.setattr(ask_receiver, "ASK_SECONDS", 0.5)
    configure(settings, circuit_after_failures=100, lookup_limit_seconds=3600)
    unknown = an_unanswered_order()
    version, pauses = unknown.version, []
    for answer in IN_TURN:
        scripted.answers = [answer]
        look(unknown)
        assert (unknown.state, unknown.version) == (State.SENT_UNKNOWN, version)
        pauses.append(seconds_until_next(unknown))
        _let_time_pass(unknown)
    results = unknown.lookups.values_list("result", flat=True)
    assert list(results) == [LookupResult.COULD_NOT_ASK] * len(IN_TURN)
    statuses = unknown.lookups.order_by("id").values_list("status", flat=True)
    assert list(statuses) == [None, 401, 429, 500, 200, 200]
    silence, refused, told_when, *others = pauses
    assert 0 < silence < refused < 88 < told_when <= 90
    assert 7 < others[0] < 11, "the back-off goes on where it was"
    assert scripted.asked.count("POST") == 1


def test_not_found_at_first_and_the_receipt_later_confirms(scripted, settings):
    """Case 52: for a minute the receiver does not show what it has."""
    configure(settings, lookup_lag_seconds=60)
    unknown = an_unanswered_order()
    for _ in range(4):
        scripted.answers = [not_found(unknown)]
        look(unknown)
        assert unknown.state == State.SENT_UNKNOWN
        assert not unknown.reviews.exists()
        move_back(unknown, 12)
    scripted.answers = [(200, {}, dumps(a_receipt(unknown)).encode())]
    look(unknown)
    assert unknown.state == State.CONFIRMED
    assert scripted.asked.count("POST") == 1


def test_not_found_beyond_the_limit_goes_to_a_person_and_is_not_sent_again(scripted, settings):
    """Case 52: absence is no proof; who asks for more than the record knows is a person."""
    configure(settings, lookup_lag_seconds=60)
    unknown = an_unanswered_order()
    move_back(unknown, 120)
    scripted.answers = [not_found(unknown)]
    look(unknown)
    assert unknown.state == State.SENT_UNKNOWN
    assert unknown.reviews.get().question == Question.UNKNOWN_OUTCOME
    for _ in range(3):
        move_back(unknown, 600)
        scripted.answers = [not_found(unknown)]
        look(unknown)
    stall_overdue(limit=10)
    assert unknown.state == State.SENT_UNKNOWN
    assert scripted.asked.count("POST") == 1


def _let_time_pass(operation: Operation) -> None:
    """Until its next lookup; what the receiver itself asked for is over too."""
    move_back(operation, 100)
    LookupGate.objects.update(held_until=F("held_until") - timedelta(seconds=100))
