"""POST /hooks/{environment}/{receiver}: who is believed, what is kept, what comes back."""

import pytest
from django.test import Client

from operations.models import AuditEntry, Operation, Receipt
from operations.protocol.states import Channel, Grade, Question, State, Verdict
from reconciliation.actions.verify_webhook import MAX_BYTES
from reconciliation.models import WebhookDelivery
from tests.build import a_marked_operation, a_receipt, an_operation
from tests.receiver import configure
from tests.reconciliation.hook_calls import message, nothing_kept, post
from tests.signing import signed

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _hooks(settings):
    configure(settings)
    settings.ROOT_URLCONF = "reconciliation.hooks"


def test_a_signed_receipt_confirms_and_is_kept_with_its_delivery():
    """Case 38: it is found by the operation's key, and brings the effect id that no reply did."""
    operation, _ = a_marked_operation()
    assert operation.effect_id == ""
    body = message(a_receipt(operation, effect_id="eff-9"))
    answer = post(body, signed(body))
    assert (answer.status_code, answer.json()["outcome"]) == (200, "confirmed")
    operation.refresh_from_db()
    assert (operation.state, operation.grade) == (State.CONFIRMED, Grade.RECEIPT)
    delivery = WebhookDelivery.objects.get()
    assert delivery.receipt.channel == Channel.WEBHOOK
    assert delivery.receipt.effect_id == operation.effect_id == "eff-9"


@pytest.mark.parametrize("to", ["moon/sandbox", "production/nobody", "production/manual"])
def test_an_address_that_is_not_configured_is_not_found(to):
    answer = post("{}", signed("{}"), to=to)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert nothing_kept()


def test_only_post_is_taken():
    answer = Client().get("/hooks/production/sandbox")
    assert answer.status_code == 405
    assert "POST" in answer.json()["detail"]


def test_no_csrf_token_and_no_session_are_needed(django_assert_num_queries):
    with django_assert_num_queries(0):
        answer = post("{}", {}, enforce_csrf_checks=True)
    assert answer.status_code == 401
    assert not answer.cookies


def test_a_body_over_the_limit_is_refused():
    body = " " * (MAX_BYTES + 1)
    answer = post(body, signed(body))
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("", "not acceptable"),
        ('{"type":', "not acceptable"),
        ("[]", "another message"),
        ('{"type":"invoice","data":{}}', "another message"),
        ('{"type":"receipt"}', "expected an object"),
        ('{"type":"receipt","data":{"operation_id":"a\\u0000b"}}', "operation_id"),
        ('{"type":"receipt","data":{"operation_id":"K","status":"done"}}', "status"),
    ],
)
def test_what_is_signed_but_no_receipt_is_kept_with_the_reason(body, why):
    answer = post(body, signed(body))
    assert answer.status_code == 200
    delivery = WebhookDelivery.objects.get()
    assert why in delivery.outcome
    assert (bytes(delivery.raw), delivery.receipt) == (body.encode(), None)


def test_the_same_webhook_again_changes_nothing():
    operation, _ = a_marked_operation()
    body = message(a_receipt(operation))
    post(body, signed(body))
    before = AuditEntry.objects.count()
    again = post(body, signed(body))
    assert (again.status_code, again.json()["is_new"]) == (200, False)
    assert (Receipt.objects.count(), WebhookDelivery.objects.count()) == (1, 1)
    assert AuditEntry.objects.count() == before


def test_an_earlier_event_delivered_again_touches_neither_of_two_operations():
    """Case 40: every id that ever came is remembered, not the latest alone."""
    first, _ = a_marked_operation(reference="cart-1")
    second, _ = a_marked_operation(reference="cart-1", payload='{"sku":"mint","quantity":1}')
    bodies = [message(a_receipt(operation)) for operation in (first, second)]
    for number, body in enumerate(bodies):
        post(body, signed(body, webhook_id=f"msg_{number}"))
    rows = list(Operation.objects.order_by("pk").values())
    assert post(bodies[0], signed(bodies[0], webhook_id="msg_0")).status_code == 200
    assert list(Operation.objects.order_by("pk").values()) == rows
    assert Receipt.objects.count() == 2


def test_the_same_receipt_under_another_webhook_id_confirms_nothing_twice():
    operation, _ = a_marked_operation()
    body = message(a_receipt(operation))
    post(body, signed(body, webhook_id="msg_1"))
    answer = post(body, signed(body, webhook_id="msg_2"))
    assert answer.json()["outcome"] == Verdict.ALREADY_CONFIRMED
    confirms = AuditEntry.objects.filter(operation=operation, event="confirm")
    assert confirms.count() == 1


def test_a_receipt_for_an_unknown_key_is_kept_and_never_confirms_by_itself():
    body = message(
        {
            "operation_id": "K404",
            "payload": {"sku": "vanilla", "quantity": 6},
            "status": "confirmed",
            "effect_id": "eff-404",
        }
    )
    answer = post(body, signed(body))
    assert (answer.status_code, answer.json()["outcome"]) == (200, "unmatched")
    operation = an_operation(key="K404")
    assert operation.state == State.READY
    assert operation.receipts.get().effect_id == "eff-404"
    assert operation.reviews.get().question == Question.RECEIPT_MISMATCH


def test_a_receipt_of_another_receivers_operation_is_not_its_word():
    operation, _ = a_marked_operation(receiver="manual")
    body = message(a_receipt(operation))
    assert post(body, signed(body)).json()["outcome"] == "unmatched"
    operation.refresh_from_db()
    assert operation.state == State.SENT_UNKNOWN


def test_a_receipt_that_came_to_the_other_environments_address_confirms_nothing():
    operation, _ = a_marked_operation()
    body = message(a_receipt(operation))
    assert post(body, signed(body), to="staging/sandbox").json()["outcome"] == "unmatched"
    operation.refresh_from_db()
    assert operation.state == State.SENT_UNKNOWN


def test_a_receipt_that_names_another_environment_is_a_mismatch():
    operation, _ = a_marked_operation()
    body = message(a_receipt(operation, environment="staging"))
    assert post(body, signed(body)).json()["outcome"] == Verdict.MISMATCH
    operation.refresh_from_db()
    assert operation.state == State.SENT_UNKNOWN
    assert operation.reviews.get().question == Question.RECEIPT_MISMATCH


@pytest.mark.parametrize(
    "payload",
    [
        {"sku": "vanilla", "quantity": 5},
        {"sku": "mint", "quantity": 6},
        {"sku": "vanilla", "quantity": "6"},
        {"sku": "vanilla", "quantity": True},
        {"sku": "va\ud800nilla\x00", "quantity": 6},
    ],
)
def test_a_receipt_with_another_payload_is_a_mismatch_shown_field_by_field(payload):
    operation, _ = a_marked_operation()
    body = message(a_receipt(operation, payload=payload))
    assert post(body, signed(body)).json()["outcome"] == Verdict.MISMATCH
    receipt = operation.receipts.get()
    assert len(receipt.differences) == 1
    operation.refresh_from_db()
    assert operation.state == State.SENT_UNKNOWN


def test_an_older_pending_after_the_confirmation_changes_nothing():
    operation, _ = a_marked_operation()
    receipt = a_receipt(operation)
    for webhook_id, status in (("msg_1", "confirmed"), ("msg_2", "pending")):
        body = message({**receipt, "status": status})
        post(body, signed(body, webhook_id=webhook_id))
    operation.refresh_from_db()
    assert operation.state == State.CONFIRMED
    assert not operation.reviews.exists()


def test_two_operations_with_one_payload_share_no_receipt():
    first, _ = a_marked_operation()
    second, _ = a_marked_operation()
    receipt = a_receipt(first, effect_id="rcpt_9")
    for webhook_id, key in (("msg_1", first.key), ("msg_2", second.key)):
        body = message({**receipt, "operation_id": key})
        post(body, signed(body, webhook_id=webhook_id))
    second.refresh_from_db()
    assert second.state == State.SENT_UNKNOWN
    assert second.reviews.get().question == Question.RECEIPT_MISMATCH


def test_a_webhook_id_of_any_length_is_answered():
    headers = signed("{}", webhook_id="m" * 5000)
    assert post("{}", headers).status_code == 401
