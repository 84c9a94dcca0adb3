"""Operations that a receipt of no operation may mean, and those that it can't."""

import pytest

from operations import clock
from operations.actions.keep_receipt import keep_unmatched_receipt
from operations.protocol.payloads import dumps, parse_json
from operations.protocol.receipts import parse_receipt
from operations.protocol.states import Channel
from reconciliation.protocol.near_keys import Nearness
from reconciliation.queries import near_operations as module
from reconciliation.queries.near_operations import near_operations
from tests.build import VANILLA, a_marked_operation, a_receipt, a_refund, an_operation, receive

pytestmark = pytest.mark.django_db


def orphan(key, payload=VANILLA, effect_id="eff-404"):
    value = {"operation_id": key, "status": "confirmed", "effect_id": effect_id}
    if payload:
        value["payload"] = parse_json(payload)
    return keep_unmatched_receipt(
        parse_receipt(value),
        environment="production",
        receiver="sandbox",
        channel=Channel.WEBHOOK,
        raw=dumps(value).encode(),
        at=clock.now(),
    )


def test_the_effect_on_record_comes_before_the_payload_and_that_before_the_key():
    other = '{"sku":"chocolate","quantity":1}'
    by_key = an_operation(key="order-17x", payload=other)
    by_payload = an_operation(key="basket")
    by_effect, _ = a_marked_operation(key="parcel", payload=other)
    receive(by_effect, a_receipt(by_effect, effect_id="eff-9"))
    found = near_operations(orphan("order-17", effect_id="eff-9"))
    assert [near.operation for near in found] == [by_effect, by_payload, by_key]
    assert [(n.has_effect, n.has_payload, n.nearness) for n in found] == [
        (True, False, None),
        (False, True, None),
        (False, False, Nearness.ONE_CHARACTER),
    ]


@pytest.mark.parametrize("key", ["ORDER-17", "order_17", "shop/order-17", "order-17/2026", "x"])
def test_another_spelling_is_found_though_it_stands_far_off(key):
    wanted = an_operation(key="order-17", payload='{"sku":"other","quantity":1}')
    for number in range(30):
        an_operation(key=f"p-{number}", payload='{"sku":"other","quantity":1}')
    found = [near.operation for near in near_operations(orphan(key, payload=""))]
    assert found == ([] if key == "x" else [wanted])


def test_an_amount_is_the_same_as_number_and_as_text():
    refund = a_refund("150.00", reference="a")
    said = refund.payload_text.replace('"150.00"', "150")
    assert [n.operation for n in near_operations(orphan("far-away", said))] == [refund]


def test_another_environment_or_receiver_is_never_meant():
    an_operation(key="order-18", environment="staging")
    an_operation(key="order-19", receiver="manual")
    assert near_operations(orphan("order-17")) == []


def test_the_payload_is_looked_for_among_the_newest_of_each_state(monkeypatch):
    monkeypatch.setattr(module, "NEWEST", 2)
    monkeypatch.setattr(module, "NEIGHBOURS", 0)
    made = [an_operation(key=f"{letter}-basket") for letter in "kmq"]
    sent, _ = a_marked_operation(key="z-basket")
    found = {near.operation for near in near_operations(orphan("far-away"))}
    assert found == {*made[1:], sent}


def test_a_receipt_without_payload_and_effect_is_looked_for_by_its_key():
    wanted = an_operation(key="order-170")
    assert [n.operation for n in near_operations(orphan("order-17", "", None))] == [wanted]
