"""The console's own dispatch against the real sandbox, fault by fault, with what it counted."""

import socket
import time

import pytest

from operations.actions.dispatch_operation import Dispatched
from operations.models import AuditEntry, Claim
from operations.protocol.states import AttemptOutcome, Grade, Question, State, Verdict
from tests.build import a_console_operation
from tests.dispatching import dispatch, the_end
from tests.operations.receivers.conftest import an_answer, says, script
from tests.receiver import (
    SHORT,
    configure,
    requests_and_effects,
    sandbox_fixture,
    sandbox_process_fixture,
)

__all__ = ["sandbox_fixture", "sandbox_process_fixture", "script"]

pytestmark = pytest.mark.django_db


def test_an_answered_order_is_confirmed_by_its_receipt(sandbox):
    operation = a_console_operation()
    assert dispatch(operation) is Dispatched.CALLED
    assert (operation.state, operation.grade) == (State.CONFIRMED, Grade.RECEIPT)
    assert [operation.effect_id] == sandbox.ledger(operation.key)["effects"]
    assert requests_and_effects(sandbox, operation) == (1, 1)
    assert the_end(operation).outcome == AttemptOutcome.RECEIPT


def test_a_second_dispatch_finds_nothing_to_do(sandbox):
    operation = a_console_operation()
    dispatch(operation)
    assert dispatch(operation) is Dispatched.NOT_DUE
    assert requests_and_effects(sandbox, operation) == (1, 1)
    assert Claim.objects.filter(operation=operation).count() == 1


def test_the_trail_of_a_dispatch_is_claim_mark_confirm(sandbox):
    operation = a_console_operation()
    dispatch(operation)
    events = AuditEntry.objects.filter(operation=operation).order_by("seq")
    assert [e.event for e in events] == ["register", "claim", "mark", "confirm"]
    assert [e.actor_id for e in events][1:] == ["dispatcher"] * 3


@pytest.mark.parametrize(
    ("fault", "effects"),
    [
        ("lose_reply", 1),
        ("reset", 1),
        ("error_after_commit", 1),
        ("garbage_reply", 1),
        ("redirect", 0),
        ("commit_late", 0),
    ],
)
def test_without_a_whole_receipt_the_outcome_stays_unknown(sandbox, fault, effects):
    """Case 76: a reset, a 503 or a redirect is followed by no second request."""
    operation = a_console_operation()
    sandbox.fault(operation.key, fault)
    assert dispatch(operation) is Dispatched.CALLED
    assert operation.state == State.SENT_UNKNOWN
    assert the_end(operation).outcome == AttemptOutcome.UNKNOWN
    assert requests_and_effects(sandbox, operation) == (1, effects)
    assert dispatch(operation) is Dispatched.NOT_DUE


def test_a_receiver_that_hangs_is_given_up_at_the_deadline(sandbox):
    operation = a_console_operation()
    sandbox.fault(operation.key, "hang", seconds=6)
    began_at = time.monotonic()
    dispatch(operation)
    assert time.monotonic() - began_at < SHORT["send_within_seconds"] + 1
    assert operation.state == State.SENT_UNKNOWN
    assert the_end(operation).outcome == AttemptOutcome.UNKNOWN
    assert requests_and_effects(sandbox, operation) == (1, 0)


def test_an_answer_that_comes_within_the_deadline_counts(sandbox):
    operation = a_console_operation()
    sandbox.fault(operation.key, "answer_late", seconds=0.5)
    dispatch(operation)
    assert operation.state == State.CONFIRMED


def test_a_listed_refusal_of_the_only_attempt_is_definite(sandbox):
    operation = a_console_operation()
    sandbox.fault(operation.key, "refuse")
    dispatch(operation)
    assert (operation.state, operation.next_try_at) == (State.REFUSED, None)
    end = the_end(operation)
    assert (end.outcome, end.status, end.code) == (AttemptOutcome.REFUSED, 422, "order_refused")
    assert requests_and_effects(sandbox, operation) == (1, 0)


def test_a_refusal_that_is_not_listed_leaves_it_unknown(sandbox, settings):
    configure(settings, definite_refusals=())
    operation = a_console_operation()
    sandbox.fault(operation.key, "refuse")
    dispatch(operation)
    assert operation.state == State.SENT_UNKNOWN
    end = the_end(operation)
    assert (end.outcome, "422 order_refused" in end.detail) == (AttemptOutcome.UNKNOWN, True)


def test_duplicate_is_no_refusal_but_a_question(sandbox):
    operation = a_console_operation()
    sandbox.fault(operation.key, "duplicate")
    dispatch(operation)
    assert operation.state == State.SENT_UNKNOWN
    assert operation.reviews.get().question == Question.DUPLICATE_ANSWER
    assert requests_and_effects(sandbox, operation) == (1, 1)


def test_received_but_pending_is_no_proof(sandbox):
    operation = a_console_operation()
    sandbox.fault(operation.key, "pending")
    dispatch(operation)
    assert operation.state == State.SENT_UNKNOWN
    receipt = operation.receipts.get()
    assert (receipt.verdict, receipt.needs_explanation) == (Verdict.NOT_PROOF, True)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        ("200 OK", b'{"status":"received"}'),
        ("200 OK", b'{"error":"the warehouse is closed"}'),
        ("202 Accepted", b""),
    ],
)
def test_a_success_that_names_no_effect_of_ours_is_no_proof(script, settings, status, body):
    """Case 33: the transport's yes is not the receiver's."""
    configure(settings, url=script.url)
    operation = a_console_operation()
    script.act = says(an_answer(status, body))
    assert dispatch(operation) is Dispatched.CALLED
    assert (operation.state, operation.effect_id) == (State.SENT_UNKNOWN, "")
    assert (the_end(operation).outcome, bytes(the_end(operation).raw)) == ("unknown", body)
    assert dispatch(operation) is Dispatched.NOT_DUE
    assert len(script.heard) == 1


def test_a_receipt_of_another_payload_is_refused_and_shown(sandbox):
    operation = a_console_operation()
    sandbox.fault(operation.key, "change_payload")
    dispatch(operation)
    assert operation.state == State.SENT_UNKNOWN
    assert operation.reviews.get().question == Question.RECEIPT_MISMATCH
    [difference] = operation.receipts.get().differences
    assert (difference["pointer"], difference["expected"], difference["got"]) == (
        "/quantity",
        "6",
        "9",
    )


def test_the_raw_answer_is_kept_as_it_came(sandbox):
    operation = a_console_operation()
    sandbox.fault(operation.key, "garbage_reply")
    dispatch(operation)
    assert bytes(the_end(operation).raw).startswith(b'{"operation_id"')


def test_where_nobody_listens_it_was_not_sent_and_is_looked_up_all_the_same(sandbox, settings):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        configure(settings, url=f"http://127.0.0.1:{nobody.getsockname()[1]}")
        operation = a_console_operation()
        dispatch(operation)
    assert operation.state == State.SENT_UNKNOWN
    assert the_end(operation).outcome == AttemptOutcome.NOT_SENT
    assert operation.next_try_at is not None
