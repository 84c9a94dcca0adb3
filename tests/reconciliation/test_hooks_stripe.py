"""Stripe's own events at our address: their scheme, their receipts, their order."""

import hashlib
import hmac
import json
import time

import pytest
from django.test import Client

from operations.models import Receipt
from operations.protocol.states import Channel, State
from opsconsole.config import load_configuration
from reconciliation.models import WebhookDelivery
from tests.build import a_marked_operation
from tests.signing import signed
from tests.stripe_server import LIVE_KEY, TEST_KEY, documented

pytestmark = pytest.mark.django_db
SECRET = "whsec_of_the_stripe_endpoint"
OLD = "whsec_before_it"


@pytest.fixture(autouse=True)
def _hooks(settings, monkeypatch, tmp_path):
    monkeypatch.setenv("STRIPE_LIVE_KEY", LIVE_KEY)
    monkeypatch.setenv("STRIPE_TEST_KEY", TEST_KEY)
    monkeypatch.setenv("STRIPE_TEST_WEBHOOK_SECRET", f"{OLD} {SECRET}")
    path = tmp_path / "stripe.toml"
    path.write_text(documented())
    settings.OPSCONSOLE = load_configuration(path)
    settings.ROOT_URLCONF = "reconciliation.hooks"


@pytest.fixture
def operation():
    payload = {"payment_intent": "pi_1", "amount": "12.50", "currency": "EUR", "reason": "late"}
    operation, _ = a_marked_operation(
        kind="card.refund", receiver="stripe-refunds", environment="staging", payload=payload
    )
    return operation


def an_event(operation, *, event_id="evt_1", status="succeeded", environment="staging", **given):
    return {
        "id": event_id,
        "object": "event",
        "type": "refund.updated",
        "created": 1_790_000_600,
        "livemode": False,
        "data": {
            "object": {
                "id": "re_1",
                "object": "refund",
                "payment_intent": "pi_1",
                "amount": 1250,
                "currency": "eur",
                "status": status,
                "created": 1_790_000_000,
                "metadata": {
                    "opsconsole_key": operation.key,
                    "opsconsole_environment": environment,
                },
            }
        },
        **given,
    }


def send(event, *, secret=SECRET, to="staging/stripe-refunds"):
    raw = json.dumps(event, indent=2).encode()
    at = int(time.time())
    digest = hmac.new(secret.encode(), f"{at}.".encode() + raw, hashlib.sha256).hexdigest()
    headers = {"stripe-signature": f"t={at},v1={digest}"}
    return Client().post(f"/hooks/{to}", data=raw, content_type="application/json", headers=headers)


def test_its_signed_event_confirms_and_is_kept_with_its_signature(operation):
    answer = send(an_event(operation))
    assert (answer.status_code, answer.json()["outcome"]) == (200, "confirmed")
    operation.refresh_from_db()
    assert (operation.state, operation.effect_id) == (State.CONFIRMED, "re_1")
    delivery = WebhookDelivery.objects.get()
    assert (delivery.webhook_id, delivery.receipt.channel) == ("evt_1", Channel.WEBHOOK)
    assert list(delivery.headers) == ["stripe-signature"]


def test_each_of_its_secrets_counts_while_one_is_rolled(operation):
    assert send(an_event(operation), secret=OLD).status_code == 200


def test_the_same_event_again_changes_nothing(operation):
    send(an_event(operation))
    again = send(an_event(operation))
    assert (again.status_code, again.json()["is_new"]) == (200, False)
    assert Receipt.objects.count() == 1


def test_another_secret_is_refused_by_the_name_of_its_header(operation):
    answer = send(an_event(operation), secret="whsec_of_somebody_else")
    assert answer.status_code == 401
    assert answer.json()["detail"].startswith("stripe-signature: ")
    assert not WebhookDelivery.objects.exists()


def test_a_standard_signature_is_no_signature_of_stripe(operation):
    body = json.dumps(an_event(operation))
    headers = signed(body, secret="whsec_d2ViaG9vay1zZWNyZXQ=")
    answer = Client().post(
        "/hooks/staging/stripe-refunds",
        data=body,
        content_type="application/json",
        headers=headers,
    )
    assert answer.status_code == 401


def test_an_event_about_something_else_is_kept_and_says_so(operation):
    answer = send(an_event(operation, type="customer.created"))
    assert (answer.status_code, answer.json()["outcome"]) == (
        200,
        "expected an event about what an operation made, got another event.",
    )
    assert not Receipt.objects.exists()


def test_a_live_event_confirms_nothing_in_a_place_of_test_mode(operation):
    send(an_event(operation, livemode=True))
    operation.refresh_from_db()
    assert operation.state == State.SENT_UNKNOWN


def test_its_events_count_in_the_order_of_their_own_time(operation):
    send(an_event(operation))
    failed = an_event(operation, event_id="evt_0", status="failed", created=1_790_000_300)
    assert send(failed).json()["outcome"] == "kept"
    operation.refresh_from_db()
    assert operation.state == State.CONFIRMED
    assert not operation.reviews.exists()


def test_a_refund_that_fails_after_it_succeeded_is_a_contradiction(operation):
    send(an_event(operation))
    send(an_event(operation, event_id="evt_2", status="failed", created=1_790_000_900))
    assert operation.reviews.get().question == "contradiction"
