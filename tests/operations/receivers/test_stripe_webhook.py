"""Stripe's own scheme of signatures, and the receipts inside its events."""

import hashlib
import hmac
import json
import time
from dataclasses import replace

import pytest

from operations.protocol.receipts import parse_receipt
from operations.receivers.stripe_webhook import NotStripesWord, receipt_in, verify
from tests.operations.receivers.stripe_rig import PAYMENTS, REFUNDS, a_payment, a_refund

SECRET = "whsec_of_this_endpoint"
OLD = "whsec_before_it"
BODY = b'{"id": "evt_1",  "object": "event", "n": 1.0, "t": "\\u001B"}'


def signature(raw, *, secret=SECRET, at=None):
    at = int(time.time()) if at is None else at
    digest = hmac.new(secret.encode(), f"{at}.".encode() + raw, hashlib.sha256).hexdigest()
    return at, digest


def signed(raw=BODY, **how):
    at, digest = signature(raw, **how)
    return {"stripe-signature": f"t={at},v1={digest}"}


def an_event(made, kind="refund.updated", **more):
    event = {
        "id": "evt_1",
        "object": "event",
        "type": kind,
        "created": 1_790_000_600,
        "livemode": False,
        "data": {"object": made},
        **more,
    }
    return json.dumps(event).encode()


def test_a_signed_event_gives_its_id():
    assert verify([SECRET], headers=signed(), raw=BODY) == "evt_1"


def test_any_of_the_secrets_may_have_signed():
    assert verify([SECRET, OLD], headers=signed(secret=OLD), raw=BODY) == "evt_1"


def test_any_of_several_signatures_may_be_the_one():
    at, good = signature(BODY)
    _, other = signature(BODY, secret=OLD, at=at)
    headers = {"stripe-signature": f"t={at},v1={other},v1={good},v0=0123abcd"}
    assert verify([SECRET], headers=headers, raw=BODY) == "evt_1"


def test_one_flipped_byte_is_refused():
    with pytest.raises(NotStripesWord, match="expected a signature"):
        verify([SECRET], headers=signed(), raw=BODY.replace(b"1.0", b"1.1"))


@pytest.mark.parametrize("seconds", [-290, 0, 290])
def test_five_minutes_either_way_are_taken(seconds):
    headers = signed(at=int(time.time()) + seconds)
    assert verify([SECRET], headers=headers, raw=BODY) == "evt_1"


@pytest.mark.parametrize("seconds", [-310, 310, -(10**9)])
def test_an_older_or_later_time_is_refused(seconds):
    with pytest.raises(NotStripesWord, match="within 300 seconds"):
        verify([SECRET], headers=signed(at=int(time.time()) + seconds), raw=BODY)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "t=1",
        "v1=00",
        "t=,v1=00",
        "t=soon,v1=00",
        "t=1,v1=",
        "t=1,v1=\u00e9",
        "t=1,v2=00",
        "t=1;v1=00",
        "t=" + "1" * 4301 + ",v1=00",
    ],
)
def test_a_header_that_is_no_signature_is_refused(header):
    with pytest.raises(NotStripesWord):
        verify([SECRET], headers={"stripe-signature": header}, raw=BODY)


@pytest.mark.parametrize("second", ["t= {old},t={now},v1={v1}", "t={now},t={old},v1={v1}"])
def test_an_old_signature_with_a_second_time_beside_it_is_refused(second):
    """The time that is judged is the one that was signed."""
    now = int(time.time())
    old, v1 = signature(BODY, at=now - 10_000)
    header = second.format(old=old, now=now, v1=v1)
    with pytest.raises(NotStripesWord):
        verify([SECRET], headers={"stripe-signature": header}, raw=BODY)


def test_only_the_scheme_v1_counts():
    at, digest = signature(BODY)
    with pytest.raises(NotStripesWord):
        verify([SECRET], headers={"stripe-signature": f"t={at},v0={digest}"}, raw=BODY)


@pytest.mark.parametrize("secrets", [[], [""], [" "]])
def test_without_a_secret_nothing_is_taken(secrets):
    headers = signed(secret=secrets[0] if secrets else "")
    with pytest.raises(NotStripesWord):
        verify(secrets, headers=headers, raw=BODY)


def test_no_header_is_refused():
    with pytest.raises(NotStripesWord, match="got nothing"):
        verify([SECRET], headers={}, raw=BODY)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[]",
        b"{}",
        b'{"id":""}',
        b'{"id":7}',
        b'{"id":"a\\nb"}',
        b"\xff",
        b'{"id":"' + b"e" * 256 + b'"}',
    ],
)
def test_a_signed_body_without_an_id_is_refused(raw):
    with pytest.raises(NotStripesWord):
        verify([SECRET], headers=signed(raw), raw=raw)


@pytest.mark.parametrize(
    "kind", ["refund.created", "refund.updated", "refund.failed", "charge.refund.updated"]
)
def test_a_refunds_event_is_a_receipt_said_at_the_events_own_time(kind):
    value = receipt_in(an_event(a_refund(status="failed"), kind), REFUNDS)
    receipt = parse_receipt(value)
    assert (receipt.operation_key, receipt.status, receipt.effect_id) == (
        "order-1",
        "refused",
        "re_1",
    )
    assert receipt.occurred_at.isoformat() == "2026-09-21T14:23:20+00:00"


@pytest.mark.parametrize(
    ("status", "said"),
    [("succeeded", "confirmed"), ("requires_payment_method", "pending"), ("canceled", "refused")],
)
def test_a_payments_event_is_a_receipt(status, said):
    event = an_event(a_payment(status=status), "payment_intent.some_event")
    assert parse_receipt(receipt_in(event, PAYMENTS)).status == said


@pytest.mark.parametrize(
    ("raw", "settings"),
    [
        (an_event(a_refund(), "charge.refunded"), REFUNDS),
        (an_event(a_refund(), "refund"), REFUNDS),
        (an_event(a_payment(), "refund.updated"), REFUNDS),
        (an_event(a_payment(), "payment_intent.succeeded"), REFUNDS),
        (an_event(a_refund(), "refund.updated"), PAYMENTS),
        (an_event(a_refund(metadata={}), "refund.updated"), REFUNDS),
        (an_event(None), REFUNDS),
        (an_event(a_refund(), data=None), REFUNDS),
        (an_event(a_refund(), kind=None), REFUNDS),
        (an_event(a_refund()), None),
        (b"[]", REFUNDS),
        (b"<html>", REFUNDS),
    ],
)
def test_every_other_event_holds_no_receipt(raw, settings):
    assert receipt_in(raw, settings) is None


def test_an_event_of_the_test_mode_names_no_environment_where_money_is_real():
    live = replace(REFUNDS, live_environments=("production",))
    assert receipt_in(an_event(a_refund()), live)["environment"] == "production (test mode)"
    real = receipt_in(an_event(a_refund(), livemode=True), live)
    assert real["environment"] == "production"
