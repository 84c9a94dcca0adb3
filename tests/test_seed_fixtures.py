"""The four stories that this product began with: what a crash must and must not lead to."""

import pytest
from django.db import IntegrityError, connection, transaction

from operations.models import Receipt
from operations.protocol.states import Channel, Question, State, Verdict
from operations.protocol.transitions import Event, next_state
from reconciliation.actions.reconcile_operation import reconcile_operation
from tests.build import a_console_operation, a_marked_operation, a_receipt, move_back, receive
from tests.dispatching import dispatch
from tests.receiver import requests_and_effects, sandbox_fixture, sandbox_process_fixture

__all__ = ["sandbox_fixture", "sandbox_process_fixture"]

pytestmark = pytest.mark.django_db


def reconcile(operation):
    reconcile_operation(operation_id=operation.pk, holder="worker-2")
    operation.refresh_from_db()


def test_lost_reply_is_confirmed_from_the_receipt_and_sent_once(sandbox):
    operation = a_console_operation(payload='{"sku":"vanilla","quantity":6}')
    sandbox.fault(operation.key, "lose_reply")
    dispatch(operation)
    assert operation.state == State.SENT_UNKNOWN
    move_back(operation, 10)
    reconcile(operation)
    assert operation.state == State.CONFIRMED
    assert requests_and_effects(sandbox, operation) == (1, 1)


def test_no_receipt_stays_unknown_and_sends_nothing(sandbox):
    operation, _ = a_marked_operation()  # the process died between the mark and the call
    for _ in range(3):
        move_back(operation, 60)
        reconcile(operation)
    assert operation.state == State.SENT_UNKNOWN
    assert operation.generation == 1
    assert requests_and_effects(sandbox, operation) == (0, 0)
    assert operation.reviews.get().question == Question.UNKNOWN_OUTCOME


def test_another_payloads_receipt_is_refused_and_kept():
    operation, _ = a_marked_operation()
    other = a_receipt(operation, payload={"sku": "vanilla", "quantity": 60})
    recorded = receive(operation, other, channel=Channel.WEBHOOK)
    operation.refresh_from_db()
    assert recorded.verdict == Verdict.MISMATCH
    assert recorded.differences[0]["pointer"] == "/quantity"
    assert operation.state == State.SENT_UNKNOWN
    assert Receipt.objects.get(operation=operation).needs_explanation


def test_an_unknown_state_is_an_explicit_error_in_the_protocol_and_in_the_database():
    with pytest.raises(ValueError, match="shipped"):
        next_state("shipped", Event.CONFIRM)
    operation, _ = a_marked_operation()
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE operations_operation SET state = 'shipped', version = version + 1 "
            "WHERE id = %s",
            [operation.pk],
        )
