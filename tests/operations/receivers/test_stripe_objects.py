"""What Stripe's objects are worth as receipts."""

from dataclasses import replace

import pytest

from operations.protocol.money import Money
from operations.protocol.receipts import InvalidReceipt, Judged, judge, parse_receipt
from operations.protocol.states import ReceiptStatus
from operations.receivers.stripe_objects import receipt_value
from operations.receivers.stripe_settings import Made
from tests.operations.receivers.stripe_rig import (
    PAYMENTS,
    REFUNDS,
    a_payment,
    a_profile,
    a_refund,
)

PAYLOAD = {"payment_intent": "pi_1", "amount": "12.5", "currency": "EUR", "reason": "damaged"}
LIVE = replace(REFUNDS, live_environments=("production",))


def judged(made, settings=REFUNDS, payload=PAYLOAD, **given):
    return judge(
        parse_receipt(receipt_value(made, settings, **given)),
        key="order-1",
        environment="production",
        payload=payload,
        profile=a_profile(settings),
        money=Money(12, "EUR", "/amount"),
    )


def test_a_refund_is_a_receipt_with_what_stripe_carries():
    assert receipt_value(a_refund(), REFUNDS) == {
        "operation_id": "order-1",
        "payload": {"currency": "EUR", "amount": "12.50", "payment_intent": "pi_1"},
        "status": "confirmed",
        "effect_id": "re_1",
        "environment": "production",
        "occurred_at": "2026-09-21T14:13:20+00:00",
    }


def test_it_confirms_and_says_what_was_not_compared():
    found = judged(a_refund())
    assert (found.verdict, found.not_compared) == (Judged.MATCH, ("/reason",))


@pytest.mark.parametrize(
    ("given", "pointer"),
    [
        ({"amount": 1251}, "/amount"),
        ({"currency": "usd"}, "/currency"),
        ({"payment_intent": "pi_2"}, "/payment_intent"),
        ({"metadata": {"opsconsole_key": "o", "opsconsole_environment": "production"}}, None),
        (
            {"metadata": {"opsconsole_key": "order-1", "opsconsole_environment": "staging"}},
            "environment",
        ),
    ],
)
def test_another_amount_currency_payment_key_or_environment_is_a_mismatch(given, pointer):
    found = judged(a_refund(**given))
    assert found.verdict is Judged.MISMATCH
    assert pointer is None or pointer in [difference.pointer for difference in found.differences]


@pytest.mark.parametrize(
    ("makes", "status", "said"),
    [
        (Made.REFUND, "succeeded", ReceiptStatus.CONFIRMED),
        (Made.REFUND, "pending", ReceiptStatus.PENDING),
        (Made.REFUND, "requires_action", ReceiptStatus.PENDING),
        (Made.REFUND, "failed", ReceiptStatus.REFUSED),
        (Made.REFUND, "canceled", ReceiptStatus.REFUSED),
        (Made.PAYMENT_INTENT, "succeeded", ReceiptStatus.CONFIRMED),
        (Made.PAYMENT_INTENT, "processing", ReceiptStatus.PENDING),
        (Made.PAYMENT_INTENT, "requires_action", ReceiptStatus.PENDING),
        (Made.PAYMENT_INTENT, "requires_capture", ReceiptStatus.PENDING),
        (Made.PAYMENT_INTENT, "requires_confirmation", ReceiptStatus.PENDING),
        (Made.PAYMENT_INTENT, "requires_payment_method", ReceiptStatus.PENDING),
        (Made.PAYMENT_INTENT, "canceled", ReceiptStatus.REFUSED),
    ],
)
def test_only_succeeded_confirms_and_only_what_is_over_is_a_no(makes, status, said):
    made, settings = (
        (a_refund(status=status), REFUNDS)
        if makes is Made.REFUND
        else (a_payment(status=status), PAYMENTS)
    )
    assert parse_receipt(receipt_value(made, settings)).status is said


@pytest.mark.parametrize("status", ["new_word", "confirmed", "", None, 7])
def test_a_status_that_is_not_known_is_no_receipt(status):
    with pytest.raises(InvalidReceipt, match="/status"):
        parse_receipt(receipt_value(a_refund(status=status), REFUNDS))


@pytest.mark.parametrize(
    "made",
    [
        a_refund(metadata={}),
        a_refund(metadata=None),
        a_refund(metadata={"opsconsole_key": "order-1"}),
        a_refund(object="charge"),
        a_payment(),
        None,
        [],
        "refund",
    ],
)
def test_what_is_not_ours_is_no_receipt(made):
    assert receipt_value(made, REFUNDS) is None


def test_the_test_mode_confirms_nothing_where_money_is_real():
    found = judged(a_refund(livemode=False), LIVE)
    assert found.verdict is Judged.MISMATCH
    assert found.differences[0].got == '"production (test mode)"'
    assert judged(a_refund(livemode=True), LIVE).verdict is Judged.MATCH


def test_real_money_is_a_mismatch_where_only_tests_should_be():
    assert judged(a_refund(livemode=True)).verdict is Judged.MISMATCH


def test_an_object_that_tells_no_mode_has_that_of_who_brought_it():
    assert judged(a_refund(), LIVE, is_live=False).verdict is Judged.MISMATCH
    assert judged(a_refund(), LIVE, is_live=True).verdict is Judged.MATCH


def test_a_payment_that_got_less_than_it_asked_for_is_a_mismatch():
    payload = {"card": "pm_1", "amount": "12.50", "currency": "EUR"}
    assert judged(a_payment(), PAYMENTS, payload).verdict is Judged.MATCH
    short = a_payment(amount_received=1000)
    assert judged(short, PAYMENTS, payload).verdict is Judged.MISMATCH


@pytest.mark.parametrize("given", [{"amount": 12.5}, {"amount": "1250"}, {"amount": None}])
def test_an_amount_that_is_no_whole_number_is_left_out_and_does_not_confirm(given):
    assert judged(a_refund(**given)).verdict is Judged.NOT_PROOF


def test_an_amount_in_a_currency_without_a_documented_unit_does_not_confirm():
    assert judged(a_refund(currency="lyd")).verdict is Judged.MISMATCH


def test_an_object_in_place_of_its_id_is_read_as_its_id():
    assert judged(a_refund(payment_intent={"id": "pi_1"})).verdict is Judged.MATCH


def test_parts_may_stand_deep_in_a_payload():
    settings = replace(REFUNDS, amount_pointer="/sum/amount", currency_pointer="/sum/currency")
    assert receipt_value(a_refund(), settings)["payload"] == {
        "sum": {"currency": "EUR", "amount": "12.50"},
        "payment_intent": "pi_1",
    }


@pytest.mark.parametrize("created", [None, "soon", -1, 10**12, True])
def test_an_instant_that_is_none_is_left_out(created):
    assert "occurred_at" not in receipt_value(a_refund(created=created), REFUNDS)
