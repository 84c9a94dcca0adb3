"""Webhooks as the field met them, against the console's own server and a real PostgreSQL."""

import json

import httpx
import pytest

from operations.actions.follow_up import FollowUp
from operations.actions.record_refusal import record_refusal
from operations.actions.supersede_operation import supersede_operation
from operations.models import AuditEntry, Operation, Receipt
from operations.protocol.states import Question, State, Verdict
from reconciliation.models import WebhookDelivery
from tests.build import a_marked_operation, a_receipt, agent_actor, an_agent, an_operation
from tests.people import an_operator
from tests.receiver import configure
from tests.reconciliation.hook_calls import message
from tests.signing import signed
from tests.together import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.race]


@pytest.fixture
def send(live_server, settings):
    """Posts one signed body over HTTP, and gives the answer."""
    settings.ROOT_URLCONF = "reconciliation.hooks"
    configure(settings)

    def send_one(body: str, *, webhook_id: str = "msg_1", to: str = "production/sandbox"):
        return httpx.post(
            f"{live_server.url}/hooks/{to}",
            content=body.encode(),
            headers=signed(body, webhook_id=webhook_id),
            trust_env=False,
            timeout=30,
        )

    return send_one


def confirms(operation) -> int:
    return AuditEntry.objects.filter(operation=operation, event="confirm").count()


def test_two_copies_at_the_same_time_are_one_delivery_in_each_of_50_rounds(send):
    """Case 44: each is answered with 200, and one of them alone did anything."""
    agent = an_agent()
    for number in range(50):
        operation, _ = a_marked_operation(agent=agent)
        body = message(a_receipt(operation))

        def deliver(body=body, webhook_id=f"msg_{number}"):
            return send(body, webhook_id=webhook_id)

        answers = at_once(deliver, deliver)

        assert [answer.status_code for answer in answers] == [200, 200]
        assert sorted(answer.json()["is_new"] for answer in answers) == [False, True]
        assert (operation.receipts.count(), confirms(operation)) == (1, 1)
    assert WebhookDelivery.objects.count() == 50


def test_two_bodies_under_one_id_at_the_same_time_are_both_kept(send):
    operation, _ = a_marked_operation()
    said = a_receipt(operation)
    bodies = [message(said), message({**said, "status": "pending"})]

    answers = at_once(*(lambda body=body: send(body) for body in bodies))

    assert [answer.status_code for answer in answers] == [200, 200]
    operation.refresh_from_db()
    assert operation.state == State.CONFIRMED
    assert {bytes(each.raw).decode() for each in WebhookDelivery.objects.all()} == set(bodies)
    assert AuditEntry.objects.filter(event="reuse_webhook_id").count() == 1


def test_a_second_copy_with_a_fresh_signature_changes_nothing(send):
    """Case 46: an old signature is refused; a fresh one of a known event is a no-op."""
    operation, _ = a_marked_operation()
    body = message(a_receipt(operation))
    send(body)
    before = AuditEntry.objects.count()
    again = send(body)
    assert (again.status_code, again.json()["is_new"]) == (200, False)
    assert (operation.receipts.count(), AuditEntry.objects.count()) == (1, before)


def test_the_no_of_a_superseded_operation_touches_nothing_of_its_successor(send):
    """Case 42: a word is applied to the operation that it names, and to no other."""
    old, attempt = a_marked_operation()
    record_refusal(
        operation_id=old.pk,
        actor=agent_actor(old.agent),
        token=attempt.token,
        status=422,
        code="order_refused",
        raw=b"{}",
    )
    old.refresh_from_db()
    new = supersede_operation(
        operation_id=old.pk,
        actor=an_operator(),
        version=old.version,
        wanted=FollowUp(key=f"{old.key}-b"),
        reason="Another supplier takes it.",
    ).follow_up
    before = Operation.objects.filter(pk=new.pk).values().get()

    answer = send(message(a_receipt(old, status="refused", effect_id=None)))

    assert (answer.status_code, answer.json()["outcome"]) == (200, Verdict.KEPT)
    assert Operation.objects.filter(pk=new.pk).values().get() == before
    assert not new.receipts.exists()
    old.refresh_from_db()
    assert (old.state, old.reviews.count()) == (State.REFUSED, 0)


@pytest.mark.parametrize(
    ("said", "pointer", "shown"),
    [
        ({"amount": "5.00"}, "/amount", ("50.00", "5.00")),
        ({"currency": "USD"}, "/currency", ("EUR", "USD")),
        ({"order": "B-2"}, "/order", ("A-", "B-2")),
    ],
)
def test_another_amount_currency_or_order_is_a_mismatch_with_both_values(
    send, said, pointer, shown
):
    """Case 49: a receipt is matched by its whole payload, never by its key alone."""
    operation, _ = a_marked_operation(
        kind="payment.refund",
        payload='{"order":"A-1","amount":"50.00","currency":"EUR","reason":"damaged"}',
    )
    payload = {**json.loads(operation.payload_text), **said}

    answer = send(message(a_receipt(operation, payload=payload)))

    assert (answer.status_code, answer.json()["outcome"]) == (200, Verdict.MISMATCH)
    operation.refresh_from_db()
    assert operation.state == State.SENT_UNKNOWN
    assert operation.reviews.get().question == Question.RECEIPT_MISMATCH
    [difference] = operation.receipts.get().differences
    assert difference["pointer"] == pointer
    assert shown[0] in difference["expected"]
    assert shown[1] in difference["got"]


def test_an_event_about_an_unknown_key_is_kept_and_confirms_nothing_later(send):
    """Case 51: it is answered with 200 and waits; whoever registers its key meets a question."""
    said = {
        "operation_id": "K404",
        "payload": {"sku": "vanilla", "quantity": 6},
        "status": "confirmed",
        "effect_id": "eff-404",
    }
    answer = send(message(said))
    assert (answer.status_code, answer.json()["outcome"]) == (200, "unmatched")
    assert Receipt.objects.get(operation=None).operation_key == "K404"

    operation = an_operation(key="K404")
    again = send(message(said))

    assert again.json()["is_new"] is False
    operation.refresh_from_db()
    assert (operation.state, confirms(operation)) == (State.READY, 0)
    assert operation.receipts.get().effect_id == "eff-404"
    assert operation.reviews.get().question == Question.RECEIPT_MISMATCH
