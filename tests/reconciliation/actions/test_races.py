"""Two at once, on real connections: dispatchers, reconcilers, webhooks, and a cut connection."""

import threading
from functools import partial

import pytest
from django.db import transaction

from operations.actions.dispatch_operation import Dispatched, dispatch_operation
from operations.actions.register_operation import register_operation
from operations.models import AuditEntry, Operation, Receipt
from operations.protocol.payloads import dumps
from operations.protocol.states import Channel, Grade, Question, State
from operations.queries.due import due_for_dispatch
from reconciliation.actions import reconcile_operation as reconciling
from reconciliation.actions.reconcile_operation import Reconciled, reconcile_operation
from reconciliation.actions.take_webhook import UNMATCHED, take_webhook
from reconciliation.models import WebhookDelivery
from tests.build import (
    a_console_operation,
    a_marked_operation,
    a_receipt,
    a_registration,
    agent_actor,
    an_agent,
    move_back,
)
from tests.receiver import eventually, requests_and_effects
from tests.signing import signed
from tests.together import at_once, meanwhile

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.race]


def dispatch(operation: Operation) -> Dispatched:
    return dispatch_operation(operation_id=operation.pk, holder=threading.current_thread().name)


def look(operation: Operation) -> Reconciled:
    return reconcile_operation(operation_id=operation.pk, holder=threading.current_thread().name)


def events(operation: Operation) -> list[str]:
    entries = AuditEntry.objects.filter(operation=operation).order_by("seq")
    return list(entries.values_list("event", flat=True))


def test_of_dispatchers_at_once_one_sends(sandbox):
    for _ in range(5):
        operation = a_console_operation()
        outcomes = at_once(*[partial(dispatch, operation)] * 4)
        assert sorted(outcomes) == [Dispatched.CALLED] + [Dispatched.NOT_DUE] * 3
        assert events(operation) == ["register", "claim", "mark", "confirm"]
        assert requests_and_effects(sandbox, operation) == (1, 1)


def test_during_the_call_the_mark_is_visible_and_no_transaction_is_open(sandbox, connect_as):
    """Case 24: another session reads sent_unknown and the claim, and another worker stands back."""
    operation = a_console_operation()
    sandbox.fault(operation.key, "answer_late", seconds=1.2)
    with meanwhile(lambda: dispatch(operation)) as dispatched:
        assert eventually(lambda: sandbox.ledger(operation.key)["requests"])
        seen = Operation.objects.get(pk=operation.pk)
        assert (seen.state, seen.claim_token is not None) == (State.SENT_UNKNOWN, True)
        assert dispatch(operation) is Dispatched.NOT_DUE
        idle = connect_as("superuser").execute(
            "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'"
        )
        assert idle.fetchone() == (0,)
        assert not dispatched.done()
    assert dispatched.result() is Dispatched.CALLED
    assert requests_and_effects(sandbox, operation) == (1, 1)


def test_a_receipt_in_hand_outlives_a_cut_database_connection(sandbox, connect_as):
    operation = a_console_operation()
    sandbox.fault(operation.key, "answer_late", seconds=1)
    with meanwhile(lambda: dispatch(operation)) as dispatched:
        assert eventually(lambda: sandbox.ledger(operation.key)["requests"])
        superuser = connect_as("superuser")
        superuser.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND datname = current_database()"
        )
        superuser.commit()
    assert dispatched.result() is Dispatched.CALLED
    transaction.get_connection().close()
    operation.refresh_from_db()
    assert (operation.state, operation.grade) == (State.CONFIRMED, Grade.RECEIPT)
    assert requests_and_effects(sandbox, operation) == (1, 1)


def test_two_sweeps_at_once_send_twenty_operations_once_each(sandbox):
    operations = [a_console_operation() for _ in range(20)]

    def sweep() -> None:
        from operations import clock

        for operation_id in due_for_dispatch(now=clock.now(), limit=100):
            dispatch_operation(operation_id=operation_id, holder="worker")

    at_once(sweep, sweep)
    assert [requests_and_effects(sandbox, each) for each in operations] == [(1, 1)] * 20
    assert AuditEntry.objects.filter(event="mark").count() == 20
    assert AuditEntry.objects.filter(event="confirm").count() == 20


def test_of_reconcilers_at_once_one_asks(sandbox):
    operation = a_console_operation()
    sandbox.fault(operation.key, "lose_reply")
    dispatch(operation)
    move_back(operation, 5)
    outcomes = at_once(*[partial(look, operation)] * 4)
    assert sorted(outcomes) == [Reconciled.LOOKED_UP] + [Reconciled.NOT_DUE] * 3
    assert operation.lookups.count() == 1


def test_copies_of_a_webhook_at_once_make_one_receipt_and_one_transition():
    for number in range(50):
        operation, _ = a_marked_operation()
        body = dumps({"type": "receipt", "data": a_receipt(operation)})
        headers = signed(body, webhook_id=f"msg_{number}")
        taken = at_once(*[partial(deliver, body, headers)] * 2)
        assert sorted(each.is_new for each in taken) == [False, True]
        assert {each.outcome for each in taken} == {"confirmed"}
        assert operation.receipts.count() == 1
        assert events(operation).count("confirm") == 1
    assert WebhookDelivery.objects.count() == 50


def test_a_webhook_while_the_lookup_is_under_way_confirms_once(sandbox, monkeypatch):
    operation = a_console_operation()
    sandbox.fault(operation.key, "lose_reply")
    dispatch(operation)
    move_back(operation, 5)
    body = dumps({"type": "receipt", "data": sandbox.order(operation.key).json()})
    ask = reconciling.ask_receiver

    def ask_and_be_told(question):
        seen = ask(question)
        deliver(body, signed(body))
        return seen

    monkeypatch.setattr(reconciling, "ask_receiver", ask_and_be_told)
    assert look(operation) is Reconciled.LOOKED_UP
    assert events(operation).count("confirm") == 1
    channels = Receipt.objects.filter(operation=operation).values_list("channel", flat=True)
    assert set(channels) == {Channel.LOOKUP, Channel.WEBHOOK}
    operation.refresh_from_db()
    assert (operation.next_try_at, operation.claim_given_back) == (None, True)


def test_a_webhook_during_the_registration_of_its_key_is_not_missed():
    registration = a_registration(key="K404")
    agent = an_agent()
    is_written, may_commit = threading.Event(), threading.Event()

    def register() -> Operation:
        with transaction.atomic():
            registered = register_operation(actor=agent_actor(agent), registration=registration)
            is_written.set()
            may_commit.wait(timeout=10)
        return registered.operation

    receipt = {"operation_id": "K404", "payload": {}, "status": "pending"}
    body = dumps({"type": "receipt", "data": receipt})
    with meanwhile(register) as registered:
        assert is_written.wait(timeout=10)
        with meanwhile(lambda: deliver(body, signed(body))) as delivered:
            assert not eventually(delivered.done, within_seconds=0.3)
            may_commit.set()
    assert delivered.result().outcome != UNMATCHED
    operation = registered.result()
    assert operation.receipts.count() == 1
    assert operation.reviews.get().question == Question.RECEIPT_MISMATCH


def deliver(body: str, headers: dict[str, str]):
    return take_webhook(
        environment="production", receiver="sandbox", headers=headers, raw=body.encode()
    )
