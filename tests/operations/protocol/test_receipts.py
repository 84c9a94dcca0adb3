from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given

from operations.protocol.payloads import MISSING, Difference, Money, parse_json
from operations.protocol.receipts import (
    InvalidReceipt,
    Judged,
    Judgement,
    Receipt,
    judge,
    parse_receipt,
)
from operations.protocol.states import ReceiptStatus

from .build import a_profile
from .json_strategies import values

PAYLOAD = {"sku": "vanilla", "quantity": 6}
GOOD: dict[str, Any] = {
    "operation_id": "order-17",
    "payload": PAYLOAD,
    "status": "confirmed",
    "effect_id": "effect-1",
}


def without(name: str) -> dict[str, Any]:
    return {member: value for member, value in GOOD.items() if member != name}


def judged(value: dict[str, Any], *, money: Money | None = None, **profile: Any) -> Judgement:
    return judge(
        parse_receipt(value),
        key="order-17",
        environment="production",
        payload=PAYLOAD,
        profile=a_profile(**profile),
        money=money,
    )


def test_a_receipt_is_read_with_all_its_members() -> None:
    members = {"environment": "staging", "occurred_at": "2025-11-30T11:04:11+01:00", "more": [1]}
    assert parse_receipt({**GOOD, **members}) == Receipt(
        operation_key="order-17",
        payload=PAYLOAD,
        status=ReceiptStatus.CONFIRMED,
        effect_id="effect-1",
        environment="staging",
        occurred_at=datetime(2025, 11, 30, 10, 4, 11, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    ("members", "status"),
    [
        ({"confirmed": True}, ReceiptStatus.CONFIRMED),
        ({"confirmed": False}, ReceiptStatus.PENDING),
        ({"status": "refused"}, ReceiptStatus.REFUSED),
        ({"status": "pending", "confirmed": False}, ReceiptStatus.PENDING),
        ({"status": "confirmed", "confirmed": True}, ReceiptStatus.CONFIRMED),
    ],
)
def test_confirmed_true_is_read_as_status_confirmed(
    members: dict[str, Any], status: ReceiptStatus
) -> None:
    assert parse_receipt({**without("status"), **members}).status is status


@pytest.mark.parametrize(
    ("value", "pointer", "got"),
    [
        ([], "", "[]"),
        ("received", "", '"received"'),
        ({"status": "received"}, "/operation_id", "missing"),
        ({"operation_id": None}, "/operation_id", "null"),
        ({**GOOD, "operation_id": 17}, "/operation_id", "17"),
        ({**GOOD, "operation_id": "a\x00"}, "/operation_id", '"a\\u0000"'),
        ({**GOOD, "status": "received"}, "/status", '"received"'),
        ({**GOOD, "status": None}, "/status", "null"),
        (without("status"), "/status", "missing"),
        ({**GOOD, "status": ["confirmed"]}, "/status", '["confirmed"]'),
        ({**without("status"), "confirmed": 1}, "/confirmed", "1"),
        ({**without("status"), "confirmed": "true"}, "/confirmed", '"true"'),
        ({**GOOD, "confirmed": False}, "/confirmed", "false"),
        ({**GOOD, "effect_id": ""}, "/effect_id", '""'),
        ({**GOOD, "effect_id": 9}, "/effect_id", "9"),
        ({**GOOD, "effect_id": "\ud800"}, "/effect_id", '"\\ud800"'),
        ({**GOOD, "environment": 1}, "/environment", "1"),
        ({**GOOD, "occurred_at": "yesterday"}, "/occurred_at", '"yesterday"'),
        ({**GOOD, "occurred_at": "2025-11-30T10:04:11"}, "/occurred_at", '"2025-11-30T10:04:11"'),
    ],
)
def test_what_is_no_receipt_is_told_by_pointer(value: object, pointer: str, got: str) -> None:
    with pytest.raises(InvalidReceipt) as caught:
        parse_receipt(value)
    assert (caught.value.pointer, caught.value.got) == (pointer, got)
    assert caught.value.expected


def test_what_is_no_receipt_is_told_in_a_sentence() -> None:
    told = 'receipt at "/confirmed": expected true or false, got 1.'
    with pytest.raises(InvalidReceipt, match=f"^{told}$"):
        parse_receipt({**GOOD, "confirmed": 1})


@pytest.mark.parametrize(("length", "is_read"), [(1, True), (255, True), (256, False)])
def test_a_name_has_1_to_255_characters(*, length: int, is_read: bool) -> None:
    value = {**GOOD, "effect_id": "e" * length}
    if is_read:
        assert parse_receipt(value).effect_id == "e" * length
    else:
        with pytest.raises(InvalidReceipt, match="text of 1 to 255 characters") as caught:
            parse_receipt(value)
        assert caught.value.got == f'"{"e" * 79}… (178 more characters)', "80 are shown"


def test_a_receipt_that_names_all_is_a_match() -> None:
    assert judged(GOOD) == Judgement(Judged.MATCH)
    assert judged({**GOOD, "environment": "production"}).verdict is Judged.MATCH


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"operation_id": "order-18"}, "operation_id"),
        ({"environment": "staging"}, "environment"),
        ({"payload": {"sku": "vanilla", "quantity": 7}}, "/quantity"),
        ({"payload": {"sku": "vanilla"}}, "/quantity"),
        ({"payload": {**PAYLOAD, "note": None}}, "/note"),
        ({"payload": {**PAYLOAD, "quantity": True}}, "/quantity"),
        ({"payload": None}, ""),
    ],
)
def test_another_operations_receipt_is_a_mismatch(change: dict[str, Any], pointer: str) -> None:
    judgement = judged({**GOOD, **change})
    assert judgement.verdict is Judged.MISMATCH
    assert [difference.pointer for difference in judgement.differences] == [pointer]


def test_a_strangers_key_and_environment_are_told_as_expected_and_got() -> None:
    stranger = judged({**GOOD, "operation_id": "order-18", "environment": "staging"})
    assert stranger.differences == (
        Difference("operation_id", '"order-17"', '"order-18"', "value"),
        Difference("environment", '"production"', '"staging"', "value"),
    )


@pytest.mark.parametrize(
    "value",
    [
        {**GOOD, "status": "pending"},
        {**GOOD, "status": "refused"},
        without("effect_id"),
        {**GOOD, "effect_id": None},
    ],
)
def test_pending_refused_and_nameless_prove_nothing(value: dict[str, Any]) -> None:
    assert judged(value) == Judgement(Judged.NOT_PROOF)


def test_a_receipt_without_a_payload_corroborates_and_never_confirms() -> None:
    judgement = judged(without("payload"))
    assert judgement.verdict is Judged.NOT_PROOF
    expected = '{"sku":"vanilla","quantity":6}'
    assert judgement.differences == (Difference("", expected, "missing", "missing"),)
    assert parse_receipt(without("payload")).payload is MISSING


def test_a_pending_receipt_of_another_payload_is_a_mismatch() -> None:
    value = {**GOOD, "status": "pending", "payload": {"sku": "lemon", "quantity": 6}}
    assert judged(value).verdict is Judged.MISMATCH


def test_nor_where_the_significant_field_is_in_neither() -> None:
    assert judged(without("payload"), significant_fields=("/size",)).verdict is Judged.NOT_PROOF


@pytest.mark.parametrize(
    ("payload", "verdict"),
    [
        ({"sku": "vanilla"}, Judged.MATCH),
        ({"sku": "vanilla", "quantity": 9}, Judged.MATCH),
        ({"sku": "lemon"}, Judged.MISMATCH),
        ({"quantity": 6}, Judged.NOT_PROOF),
    ],
)
def test_significant_fields_decide_and_the_rest_is_listed(
    payload: dict[str, Any], verdict: Judged
) -> None:
    judgement = judged({**GOOD, "payload": payload}, significant_fields=("/sku",))
    assert judgement.verdict is verdict
    assert judgement.not_compared == ("/quantity",)


def test_the_amount_compares_in_its_currency() -> None:
    money = Money(Decimal(6), "EUR", "/quantity")
    assert judged({**GOOD, "payload": {**PAYLOAD, "quantity": "6.00"}}, money=money) == Judgement(
        Judged.MATCH
    )


@given(values)
def test_any_value_is_a_receipt_or_is_told(value: object) -> None:
    with pytest.raises(InvalidReceipt):
        parse_receipt({"operation_id": "k", "status": value, "confirmed": value})


@given(values)
def test_only_the_very_payload_matches(payload: object) -> None:
    verdict = judged({**GOOD, "payload": payload}).verdict
    is_same = payload == parse_json('{"sku":"vanilla","quantity":6}')
    assert (verdict is Judged.MATCH) == is_same
