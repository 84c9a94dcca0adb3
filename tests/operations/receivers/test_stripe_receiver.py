"""The stripe connector against a real localstripe, which ignores idempotency keys."""

import json
import uuid
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from operations.protocol.payloads import dumps
from operations.receivers.base import Answered, Found, NoAnswer, NotFound, Request
from tests.operations.receivers.conftest import an_answer, says
from tests.operations.receivers.stripe_rig import PAYMENTS, REFUNDS, a_receiver, a_refund
from tests.stripe_server import DECLINED_LATER, stripe_server_fixture

__all__ = ["stripe_server_fixture"]


@pytest.fixture
def key():
    return f"order-{uuid.uuid4()}"


@pytest.fixture
def payment(stripe_server):
    return stripe_server.a_payment()["id"]


def a_request(receiver, key, **payload):
    return receiver.render(
        key=key,
        idempotency_key=f"idem-{key}",
        payload_text=dumps({"amount": "12.50", "currency": "EUR", **payload}),
        environment="production",
    )


def send(receiver, request):
    return receiver.send(request, deadline_seconds=10)


def look_up(receiver, key):
    return receiver.look_up(key, environment="production", deadline_seconds=10)


def test_a_refund_is_made_once_and_its_receipt_comes_back(stripe_server, key, payment):
    receiver = a_receiver(base_url=stripe_server.url)

    outcome = send(receiver, a_request(receiver, key, payment_intent=payment))

    (refund,) = stripe_server.refunds(payment)
    assert isinstance(outcome, Answered)
    assert (refund["amount"], refund["metadata"]["opsconsole_key"]) == (1250, key)
    assert outcome.receipt["operation_id"] == key
    assert outcome.receipt["effect_id"] == refund["id"]
    assert outcome.receipt["payload"] == {
        "payment_intent": payment,
        "amount": "12.50",
        "currency": "EUR",
    }
    assert json.loads(outcome.raw)["id"] == refund["id"]


def test_a_lookup_finds_it_and_tells_the_same(stripe_server, key, payment):
    receiver = a_receiver(base_url=stripe_server.url)
    outcome = send(receiver, a_request(receiver, key, payment_intent=payment))

    found = look_up(receiver, key)

    assert isinstance(found, Found)
    assert found.receipt_value == outcome.receipt


def test_before_the_call_the_lookup_finds_nothing_and_asking_makes_nothing(
    stripe_server, key, payment
):
    receiver = a_receiver(base_url=stripe_server.url)
    assert isinstance(look_up(receiver, key), NotFound)
    assert stripe_server.refunds(payment) == []


def test_a_lookup_reads_on_over_pages_and_about_a_payload_reads_one(stripe_server, key, payment):
    receiver = a_receiver(base_url=stripe_server.url)
    send(receiver, a_request(receiver, key, payment_intent=payment))
    other = stripe_server.a_payment()["id"]
    for _ in range(101):
        stripe_server.post("refunds", payment_intent=other, amount=1)
    about = receiver.about(
        payload_text=dumps({"payment_intent": payment, "amount": "12.50", "currency": "EUR"}),
        registered_at=datetime.now(tz=UTC),
    )
    assert isinstance(look_up(receiver, key), Found)
    assert isinstance(look_up(about, key), Found)
    limited = replace(about, settings=replace(REFUNDS, search_limit=1))
    assert isinstance(look_up(limited, key), Found)


def test_the_other_environments_refund_is_not_ours(stripe_server, key, payment):
    here = a_receiver(base_url=stripe_server.url)
    there = replace(here, environment="staging")
    send(here, a_request(here, key, payment_intent=payment))
    assert isinstance(there.look_up(key, environment="staging", deadline_seconds=10), NotFound)


def test_this_server_ignores_keys_so_the_same_call_twice_is_two_refunds(
    stripe_server, key, payment
):
    """What a second send would cost: nothing but the record keeps it from happening."""
    receiver = a_receiver(base_url=stripe_server.url)
    request = a_request(receiver, key, payment_intent=payment)
    first, second = send(receiver, request), send(receiver, request)
    assert len(stripe_server.refunds(payment)) == 2
    assert first.receipt["effect_id"] != second.receipt["effect_id"]


def test_a_refund_of_a_charge_is_found_by_the_charge(stripe_server, key):
    settings = replace(REFUNDS, references={"charge": "/charge"})
    receiver = a_receiver(settings, base_url=stripe_server.url)
    payment = stripe_server.a_payment()
    charge = payment["latest_charge"]["id"]

    outcome = send(receiver, a_request(receiver, key, charge=charge))

    assert outcome.receipt["payload"]["charge"] == charge
    about = receiver.about(
        payload_text=dumps({"charge": charge, "amount": "12.50", "currency": "EUR"}),
        registered_at=datetime.now(tz=UTC),
    )
    assert look_up(about, key).receipt_value == outcome.receipt


def test_a_payment_is_made_and_found(stripe_server, key):
    receiver = a_receiver(PAYMENTS, base_url=stripe_server.url)
    card = stripe_server.a_card()

    outcome = send(receiver, a_request(receiver, key, card=card))

    assert outcome.receipt["status"] == "confirmed"
    assert outcome.receipt["payload"] == {"card": card, "amount": "12.50", "currency": "EUR"}
    found = look_up(receiver, key)
    assert found.receipt_value["effect_id"] == outcome.receipt["effect_id"]
    mine = [p for p in stripe_server.payments() if p["metadata"].get("opsconsole_key") == key]
    assert [p["id"] for p in mine] == [outcome.receipt["effect_id"]]


def test_a_declined_card_is_a_refusal_and_its_open_payment_is_found_as_pending(stripe_server, key):
    receiver = a_receiver(PAYMENTS, base_url=stripe_server.url)
    card = stripe_server.a_card(DECLINED_LATER)

    outcome = send(receiver, a_request(receiver, key, card=card))

    assert (outcome.status, outcome.refusal_code, outcome.receipt) == (402, "card_declined", None)
    assert look_up(receiver, key).receipt_value["status"] == "pending"


def test_a_payment_that_is_not_there_is_refused(stripe_server, key):
    receiver = a_receiver(base_url=stripe_server.url)
    outcome = send(receiver, a_request(receiver, key, payment_intent="pi_nosuch"))
    assert (outcome.status, outcome.refusal_code) == (404, "invalid_request_error")


def test_test_mode_answers_are_a_mismatch_where_money_is_real(stripe_server, key, payment):
    """localstripe says livemode false of everything, whatever key it was asked with."""
    receiver = a_receiver(base_url=stripe_server.url, is_live=True)
    outcome = send(receiver, a_request(receiver, key, payment_intent=payment))
    assert outcome.receipt["environment"] == "production (test mode)"
    assert look_up(receiver, key).receipt_value["environment"] == "production (test mode)"


def test_the_stored_bytes_are_sent_with_the_key_beside_them(script, key):
    script.act = says(an_answer("200 OK", json.dumps(a_refund()).encode()))
    receiver = a_receiver(base_url=script.url)
    stored = replace(a_request(receiver, key, payment_intent="pi_1"), body=b"amount=7&stored=1")

    outcome = send(receiver, stored)

    (heard,) = script.heard
    assert heard.endswith(b"\r\n\r\namount=7&stored=1")
    assert f"Idempotency-Key: idem-{key}".encode() in heard
    assert b"Authorization: Bearer sk_test_console" in heard
    assert b"AIAgent" not in heard
    assert outcome.receipt["effect_id"] == "re_1"


@pytest.mark.parametrize(
    "answer",
    [
        an_answer("200 OK", b"{}"),
        an_answer("200 OK", b"<html>"),
        an_answer("200 OK", json.dumps(a_refund(metadata={})).encode()),
        an_answer("202 Accepted", b""),
        an_answer("302 Found", json.dumps(a_refund()).encode(), "Location: /elsewhere"),
        an_answer("500 Oh no", json.dumps(a_refund()).encode()),
    ],
)
def test_an_answer_that_names_no_object_of_ours_is_no_receipt_and_is_not_repeated(
    script, key, answer
):
    script.act = says(answer)
    receiver = a_receiver(base_url=script.url)
    outcome = send(receiver, a_request(receiver, key, payment_intent="pi_1"))
    assert isinstance(outcome, Answered)
    assert outcome.receipt is None
    assert len(script.heard) == 1


def test_an_answer_that_never_comes_is_no_answer(script, key):
    receiver = a_receiver(base_url=script.url)
    outcome = send(receiver, a_request(receiver, key, payment_intent="pi_1"))
    assert isinstance(outcome, NoAnswer)
    assert outcome.sent is True
    assert len(script.heard) == 1


def test_a_stored_request_for_another_address_is_not_sent(script):
    receiver = a_receiver(base_url="http://127.0.0.1:1")
    request = Request(method="POST", url=f"{script.url}/v1/refunds", headers={}, body=b"")
    outcome = send(receiver, request)
    assert isinstance(outcome, NoAnswer)
    assert (outcome.sent, script.heard) == (False, [])


def test_another_environment_is_never_asked(key):
    receiver = a_receiver(base_url="http://127.0.0.1:1")
    with pytest.raises(ValueError, match="expected environment production, got staging"):
        receiver.look_up(key, environment="staging", deadline_seconds=1)
    with pytest.raises(ValueError, match="expected environment production, got staging"):
        receiver.render(key=key, idempotency_key=key, payload_text="{}", environment="staging")
