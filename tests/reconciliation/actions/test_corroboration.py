"""A confirmation that only an agent reported is looked up once the lag is over."""

import pytest

from operations.actions.record_receipt import record_receipt
from operations.actions.request_lookup import request_lookup
from operations.models import Operation
from operations.protocol.payloads import dumps, parse_json
from operations.protocol.receipts import parse_receipt
from operations.protocol.states import Channel, Grade, Question, State, Verdict
from reconciliation.actions.reconcile_operation import Reconciled, reconcile_operation
from tests.build import a_marked_operation, a_receipt, agent_actor, move_back

pytestmark = pytest.mark.django_db


def place(sandbox, operation: Operation) -> dict:
    """The agent's own call: what the sandbox answered."""
    answer = sandbox.post_order(
        operation.key, {"sku": "vanilla", "quantity": 6}, key=operation.idempotency_key
    )
    return parse_json(answer.content)


def report(operation: Operation, token: int, receipt: dict) -> None:
    record_receipt(
        operation_id=operation.pk,
        value=parse_receipt(receipt),
        channel=Channel.RESPONSE,
        raw=dumps(receipt).encode(),
        actor=agent_actor(operation.agent),
        token=token,
    )
    operation.refresh_from_db()
    assert (operation.state, operation.grade) == (State.CONFIRMED, Grade.RECEIPT_REPORTED)


def look(operation: Operation) -> Reconciled:
    move_back(operation, 3)
    outcome = reconcile_operation(operation_id=operation.pk, holder="worker-2")
    operation.refresh_from_db()
    return outcome


def questions(operation: Operation) -> list[str]:
    return [r.question for r in operation.reviews.filter(closed_at=None)]


def test_the_same_effect_at_the_receiver_makes_it_a_receipt(sandbox):
    operation, attempt = a_marked_operation()
    report(operation, attempt.token, place(sandbox, operation))
    assert look(operation) is Reconciled.LOOKED_UP
    assert (operation.grade, operation.next_try_at) == (Grade.RECEIPT, None)
    assert questions(operation) == []
    assert look(operation) is Reconciled.NOT_DUE


def test_absence_contradicts_and_the_state_stays(sandbox):
    operation, attempt = a_marked_operation()
    report(operation, attempt.token, a_receipt(operation))
    look(operation)
    assert questions(operation) == [Question.CONTRADICTION]
    assert (operation.state, operation.grade) == (State.CONFIRMED, Grade.RECEIPT_REPORTED)
    assert operation.next_try_at is None


def test_another_effect_at_the_receiver_contradicts_once(sandbox):
    operation, attempt = a_marked_operation()
    place(sandbox, operation)
    report(operation, attempt.token, a_receipt(operation, effect_id="eff-invented"))
    look(operation)
    assert questions(operation) == [Question.CONTRADICTION]
    assert operation.effect_id == "eff-invented"
    assert operation.receipts.get(channel=Channel.LOOKUP).verdict == Verdict.LATE


def test_another_payload_at_the_receiver_contradicts(sandbox):
    operation, attempt = a_marked_operation()
    sandbox.fault(operation.key, "change_payload")
    changed = place(sandbox, operation)
    report(operation, attempt.token, a_receipt(operation, effect_id=changed["effect_id"]))
    look(operation)
    assert questions(operation) == [Question.CONTRADICTION]
    assert operation.receipts.get(channel=Channel.LOOKUP).differences


def test_a_record_that_is_pending_there_is_looked_at_again(sandbox):
    operation, attempt = a_marked_operation()
    sandbox.fault(operation.key, "pending")
    pending = place(sandbox, operation)
    report(operation, attempt.token, {**pending, "status": "confirmed", "confirmed": True})
    look(operation)
    assert questions(operation) == []
    assert operation.next_try_at is not None
    sandbox.clear_faults(operation.key)
    move_back(operation, 60)
    look(operation)
    assert operation.grade == Grade.RECEIPT


def test_a_contradiction_that_the_receiver_takes_back_can_be_looked_up_again(sandbox):
    operation, attempt = a_marked_operation()
    receipt = place(sandbox, operation)
    sandbox.fault(operation.key, "hide_lookup", times=1)
    report(operation, attempt.token, receipt)
    look(operation)
    assert questions(operation) == [Question.CONTRADICTION]
    request_lookup(operation_id=operation.pk, actor=agent_actor(operation.agent))
    look(operation)
    assert operation.grade == Grade.RECEIPT


def test_looking_up_what_the_receiver_itself_confirmed_changes_nothing(sandbox):
    operation, attempt = a_marked_operation()
    report(operation, attempt.token, place(sandbox, operation))
    look(operation)
    request_lookup(operation_id=operation.pk, actor=agent_actor(operation.agent))
    operation.refresh_from_db()
    version = operation.version
    assert look(operation) is Reconciled.LOOKED_UP
    assert (operation.version, operation.next_try_at) == (version, None)
