"""Lookups that tell nothing are not "not found": counted apart, spaced out, then shown."""

from dataclasses import replace
from itertools import pairwise

import pytest

from operations import clock
from operations.models import Operation
from operations.protocol.states import LookupResult, Question, State
from reconciliation.actions import ask_receiver
from reconciliation.actions.reconcile_operation import Reconciled, reconcile_operation
from tests.build import a_marked_operation, move_back
from tests.receiver import configure
from tests.reconciliation.actions.scripted import NOT_FOUND, an_unanswered_order, scripted_fixture

__all__ = ["scripted_fixture"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def unknown(scripted) -> Operation:
    operation = an_unanswered_order()
    assert scripted.asked == ["POST"]
    return operation


def look(operation: Operation) -> Reconciled:
    outcome = reconcile_operation(operation_id=operation.pk, holder="worker-2")
    operation.refresh_from_db()
    return outcome


def seconds_until_next(operation: Operation) -> float:
    return (operation.next_try_at - clock.now()).total_seconds()


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (401, b'{"error":"unauthorized"}'),
        (403, b""),
        (404, b""),
        (404, b"<h1>Not Found</h1>"),
        (404, b'{"error":"not_found"}'),
        (404, b'{"error":"not_found","operation_id":"another"}'),
        (429, b"{}"),
        (500, b"{}"),
        (503, NOT_FOUND.encode()),
        (200, b"<html></html>"),
        (200, b"{}"),
        (200, b"[]"),
        (200, b'{"status":"received"}'),
        (200, b'{"operation_id":"K1","status":"confirmed"'),
        (204, b""),
        (302, b""),
        (200, b'{"operation_id":"\xff"}'),
    ],
)
def test_every_other_answer_could_not_be_asked_and_changes_no_state(
    scripted, unknown, status, body
):
    scripted.answers = [(status, {}, body)]
    version = unknown.version
    assert look(unknown) is Reconciled.LOOKED_UP
    assert (unknown.state, unknown.version) == (State.SENT_UNKNOWN, version)
    lookup = unknown.lookups.get()
    assert (lookup.result, lookup.status) == (LookupResult.COULD_NOT_ASK, status)
    assert bytes(lookup.raw) == body
    assert lookup.detail
    assert not unknown.reviews.exists()
    assert unknown.could_not_ask_since == lookup.asked_at
    assert scripted.asked == ["POST", f"/orders/{unknown.key}"]


def test_the_exact_not_found_answer_is_one(scripted, unknown):
    scripted.answers = [(404, {}, (NOT_FOUND % unknown.key).encode())]
    look(unknown)
    assert unknown.lookups.get().result == LookupResult.NOT_FOUND
    assert unknown.reviews.get().question == Question.UNKNOWN_OUTCOME


def test_the_pause_grows_from_failure_to_failure(scripted, unknown):
    pauses = []
    for _ in range(4):
        scripted.answers = [(500, {}, b"")]
        look(unknown)
        pauses.append(seconds_until_next(unknown))
        move_back(unknown, 20)
    assert all(later > earlier for earlier, later in pairwise(pauses))
    assert 7 < pauses[3] < 11


def test_retry_after_is_honoured(scripted, unknown):
    scripted.answers = [(429, {"Retry-After": "77"}, b"")]
    look(unknown)
    assert 75 < seconds_until_next(unknown) <= 77


def test_beyond_the_limit_a_person_sees_it_stalled_with_the_last_reason(
    scripted, unknown, settings
):
    configure(settings, lookup_limit_seconds=100)
    for _ in range(3):
        scripted.answers = [(500, {}, b"")]
        look(unknown)
        move_back(unknown, 60)
    review = unknown.reviews.get()
    assert review.question == Question.STALLED
    assert "longer than the limit of 100 s" in review.reason
    assert "status 500" in review.reason
    assert unknown.state == State.SENT_UNKNOWN


def test_an_answer_ends_the_run_of_failures(scripted, unknown):
    scripted.answers = [(500, {}, b""), (404, {}, (NOT_FOUND % unknown.key).encode())]
    look(unknown)
    move_back(unknown, 60)
    look(unknown)
    assert unknown.could_not_ask_since is None
    results = unknown.lookups.order_by("id").values_list("result", flat=True)
    assert list(results) == [LookupResult.COULD_NOT_ASK, LookupResult.NOT_FOUND]


def test_a_receiver_that_is_away_could_not_be_asked(unknown, settings):
    configure(settings, url="http://127.0.0.1:9")
    look(unknown)
    lookup = unknown.lookups.get()
    assert (lookup.result, lookup.status) == (LookupResult.COULD_NOT_ASK, None)
    assert "ConnectError" in lookup.detail


def test_a_mistake_of_ours_while_asking_tells_nothing(scripted, unknown, monkeypatch):
    def broken(config):
        raise ZeroDivisionError("nul \x00 and \ud800")

    monkeypatch.setattr(ask_receiver, "connector", broken)
    look(unknown)
    lookup = unknown.lookups.get()
    assert lookup.result == LookupResult.COULD_NOT_ASK
    assert "ZeroDivisionError" in lookup.detail
    assert unknown.state == State.SENT_UNKNOWN


def test_a_receiver_that_left_the_configuration_goes_to_a_person(unknown, settings):
    settings.OPSCONSOLE = replace(settings.OPSCONSOLE, receivers={})
    assert look(unknown) is Reconciled.PERSON_ASKED
    assert unknown.reviews.get().question == Question.STALLED
    assert seconds_until_next(unknown) > 0


def test_without_a_lookup_a_person_is_asked_once_the_quarantine_is_over(settings):
    operation, _ = a_marked_operation(receiver="manual")
    move_back(operation, 12)
    assert look(operation) is Reconciled.WAITS
    assert not operation.reviews.exists()
    assert 0 < seconds_until_next(operation) < 20
    move_back(operation, 20)
    assert look(operation) is Reconciled.PERSON_ASKED
    assert operation.reviews.get().question == Question.UNKNOWN_OUTCOME
    assert operation.next_try_at is None
    assert look(operation) is Reconciled.NOT_DUE
    assert not operation.lookups.exists()
