"""The call that Stripe's package would make, as bytes, and what of a payload it can't take."""

from datetime import UTC, datetime
from urllib.parse import parse_qsl

import pytest

from operations.protocol.payloads import dumps
from operations.protocol.refusals import InvalidPayload
from operations.receivers.stripe_calls import API_VERSION
from operations.receivers.stripe_request import filters
from tests.operations.receivers.stripe_rig import PAYMENTS, REFUNDS, a_receiver

REFUND = {"payment_intent": "pi_1", "amount": "12.50", "currency": "EUR", "reason": "damaged"}
PAYMENT = {"card": "pm_1", "amount": "500", "currency": "JPY"}
AT = datetime(2026, 11, 30, tzinfo=UTC)


def rendered(payload, settings=REFUNDS, key="order-1"):
    return a_receiver(settings).render(
        key=key,
        idempotency_key="oc-1",
        payload_text=dumps(payload),
        environment="production",
    )


def test_a_refund_is_one_form_with_whose_it_is_in_its_metadata():
    request = rendered(REFUND)
    assert (request.method, request.url) == ("POST", "https://api.stripe.com/v1/refunds")
    assert dict(parse_qsl(request.body.decode())) == {
        "amount": "1250",
        "payment_intent": "pi_1",
        "metadata[opsconsole_key]": "order-1",
        "metadata[opsconsole_environment]": "production",
    }


def test_a_payment_is_made_at_once_without_its_customer_at_hand():
    request = rendered(PAYMENT, PAYMENTS)
    assert request.url == "https://api.stripe.com/v1/payment_intents"
    assert dict(parse_qsl(request.body.decode())) == {
        "amount": "500",
        "payment_method": "pm_1",
        "currency": "jpy",
        "confirm": "true",
        "off_session": "true",
        "payment_method_types[0]": "card",
        "metadata[opsconsole_key]": "order-1",
        "metadata[opsconsole_environment]": "production",
    }


def test_the_headers_are_few_the_same_each_time_and_hold_no_key(monkeypatch):
    before = rendered(REFUND)
    monkeypatch.setenv("STRIPE_LOG", "")
    monkeypatch.setenv("HOME", "/nowhere")
    assert rendered(REFUND) == before
    assert before.headers == {
        "Content-Type": "application/x-www-form-urlencoded",
        "Idempotency-Key": "oc-1",
        "Stripe-Version": API_VERSION,
        "Accept": "application/json",
        "User-Agent": "opsconsole",
    }


@pytest.mark.parametrize("key", ["a b", "a&b=c", "a[b]", "100%", '"\\', "~", "x" * 200])
def test_any_key_comes_through_as_it_is(key):
    body = rendered(REFUND, key=key).body.decode()
    assert dict(parse_qsl(body))["metadata[opsconsole_key]"] == key


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"amount": "12.505"}, "/amount"),
        ({"amount": "500.50", "currency": "JPY"}, "/amount"),
        ({"amount": "5.124", "currency": "KWD"}, "/amount"),
        ({"amount": "0.50", "currency": "ISK"}, "/amount"),
        ({"amount": "1e3"}, "/amount"),
        ({"amount": None}, "/amount"),
        ({"currency": "LYD"}, "/amount"),
        ({"currency": "eur"}, "/amount"),
        ({"currency": 978}, "/currency"),
        ({"payment_intent": ""}, "/payment_intent"),
        ({"payment_intent": "pi_1&amount=9"}, "/payment_intent"),
        ({"payment_intent": None}, "/payment_intent"),
    ],
)
def test_what_stripe_can_not_take_is_refused_by_its_place(change, pointer):
    with pytest.raises(InvalidPayload) as refused:
        rendered({**REFUND, **change})
    assert refused.value.members["field"] == pointer


@pytest.mark.parametrize("name", ["amount", "currency", "payment_intent"])
def test_what_is_missing_is_refused_by_its_place(name):
    with pytest.raises(InvalidPayload, match=f"/{name}.*got nothing"):
        rendered({other: value for other, value in REFUND.items() if other != name})


def test_refunds_are_looked_for_among_those_of_their_payment():
    assert filters(REFUND, REFUNDS, since=AT) == {"payment_intent": "pi_1"}


def test_payments_are_looked_for_among_those_since_a_day_before():
    since = int(AT.timestamp()) - 86_400
    assert filters(PAYMENT, PAYMENTS, since=AT) == {"created": {"gte": since}}
