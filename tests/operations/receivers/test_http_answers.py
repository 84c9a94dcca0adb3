"""What the http receiver makes of answers: a receipt says no more than the record does."""

import json
from typing import Any

import pytest

from operations.protocol.payloads import parse_json
from operations.protocol.receipts import InvalidReceipt, parse_receipt
from operations.receivers.base import Answered, CouldNotAsk, Found, NotFound, Observation
from operations.receivers.connectors import connector
from tests.http_receivers import an_api, configured

ORDER = {"sku": "vanilla", "quantity": 6}
SHIPMENT = {"ref": "K1", "shipment": "S-9", "details": ORDER, "state": "booked", "live": True}
SUPPLIED = {
    "operation_id": "K1",
    "payload": ORDER,
    "status": "confirmed",
    "effect_id": "eff_1",
    "environment": "production",
}
NOTHING = {"error": "not_found", "operation_id": "K1"}


def look_up(name: str, status: int, body: Any, **headers: str) -> Observation:
    """What a lookup of K1 makes of one answer."""
    with an_api() as api:
        api.answer = lambda asked: (
            status,
            body,
            {n.replace("_", "-"): v for n, v in headers.items()},
        )
        receiver = connector(configured(name, api.url))
        return receiver.look_up("K1", environment="production", deadline_seconds=5)


def send(name: str, status: int, body: Any) -> Answered:
    """What a send makes of one answer."""
    payload = json.dumps({**ORDER, "to": "a@b", "subject": "s", "body": "b"})
    with an_api() as api:
        api.answer = lambda asked: (status, body)
        receiver = connector(configured(name, api.url))
        request = receiver.render(
            key="K1", idempotency_key="oc-1", payload_text=payload, environment="production"
        )
        outcome = receiver.send(request, deadline_seconds=5)
    assert isinstance(outcome, Answered)
    return outcome


def shipment(**changed: Any) -> dict[str, Any]:
    return {"result": "ok", "data": {**SHIPMENT, **changed}}


def test_a_record_in_an_envelope_is_found_with_our_words_for_its_own():
    found = look_up("courier", 200, shipment())
    assert isinstance(found, Found)
    assert found.receipt_value == {
        "operation_id": "K1",
        "payload": ORDER,
        "status": "confirmed",
        "effect_id": "S-9",
        "environment": "production",
    }


@pytest.mark.parametrize(
    ("word", "status"), [("booked", "confirmed"), ("queued", "pending"), ("refused", "refused")]
)
def test_each_word_means_what_is_listed(word, status):
    found = look_up("courier", 200, shipment(state=word))
    assert isinstance(found, Found)
    assert found.receipt_value["status"] == status


@pytest.mark.parametrize(
    "word", ["shipped", "confirmed", "Booked", "", None, True, 1, ["booked"], {}]
)
def test_a_word_that_is_not_listed_proves_nothing(word):
    seen = look_up("courier", 200, shipment(state=word))
    assert isinstance(seen, CouldNotAsk)
    assert "not listed" in seen.detail
    with pytest.raises(InvalidReceipt):
        parse_receipt(send("courier", 200, shipment(state=word)).receipt)


@pytest.mark.parametrize(
    ("said", "environment"),
    [(True, "production"), (False, "staging"), ("production", None), (1, None), (None, None)],
)
def test_an_environment_is_told_by_the_receivers_own_word(said, environment):
    found = look_up("courier", 200, shipment(live=said))
    assert isinstance(found, Found)
    told = found.receipt_value["environment"]
    assert told == environment or (environment is None and "not listed" in told)


def test_an_environment_that_should_be_there_and_is_not_proves_nothing():
    record = {name: value for name, value in SUPPLIED.items() if name != "environment"}
    assert isinstance(look_up("supplier", 200, record), CouldNotAsk)
    assert isinstance(look_up("supplier", 200, {**record, "environment": None}), CouldNotAsk)


@pytest.mark.parametrize("missing", ["ref", "state"])
def test_a_record_without_its_key_or_its_word_is_could_not_ask(missing):
    data = {name: value for name, value in SHIPMENT.items() if name != missing}
    assert isinstance(look_up("courier", 200, {"result": "ok", "data": data}), CouldNotAsk)


def test_a_record_without_payload_or_effect_is_found_and_says_so():
    data = {"ref": "K1", "state": "booked", "live": True}
    found = look_up("courier", 200, {"result": "ok", "data": data})
    assert isinstance(found, Found)
    assert "payload" not in found.receipt_value
    assert found.receipt_value["effect_id"] is None


def test_another_operations_record_is_handed_on_to_be_judged():
    found = look_up("courier", 200, shipment(ref="K2"))
    assert isinstance(found, Found)
    assert found.receipt_value["operation_id"] == "K2"


def test_the_exact_answer_in_an_envelope_is_not_found():
    assert isinstance(look_up("courier", 200, {"result": "none", "ref": "K1", "n": 1}), NotFound)


def test_the_exact_body_is_not_found_in_whatever_order_it_comes():
    assert isinstance(look_up("supplier", 404, NOTHING), NotFound)
    assert isinstance(look_up("supplier", 404, dict(reversed(NOTHING.items()))), NotFound)


@pytest.mark.parametrize(
    ("name", "status", "body"),
    [
        ("supplier", 404, b""),
        ("supplier", 404, b"<html>no such page</html>"),
        ("supplier", 404, {"error": "not_found"}),
        ("supplier", 404, {**NOTHING, "operation_id": "K2"}),
        ("supplier", 404, {**NOTHING, "truncated": True}),
        ("supplier", 404, [NOTHING]),
        ("supplier", 200, NOTHING),
        ("supplier", 410, NOTHING),
        ("supplier", 200, b""),
        ("supplier", 200, {}),
        ("supplier", 200, []),
        ("supplier", 200, [SUPPLIED]),
        ("supplier", 200, b"<html>Sign in</html>"),
        ("supplier", 200, json.dumps(SUPPLIED).encode()[:-1]),
        ("supplier", 200, {**SUPPLIED, "status": "shipped"}),
        ("supplier", 200, {**SUPPLIED, "occurred_at": "yesterday"}),
        ("supplier", 202, SUPPLIED),
        ("supplier", 206, SUPPLIED),
        ("supplier", 307, b""),
        ("supplier", 401, {"error": "unauthorized"}),
        ("supplier", 429, b""),
        ("supplier", 500, SUPPLIED),
        ("courier", 200, {"result": "none"}),
        ("courier", 200, {"result": "none", "ref": "K2"}),
        ("courier", 404, {"result": "none", "ref": "K1"}),
        ("courier", 200, {"result": "error", "data": SHIPMENT}),
        ("courier", 200, {"data": SHIPMENT}),
        ("courier", 200, SHIPMENT),
        ("courier", 200, {"result": "ok", "data": None}),
        ("courier", 200, {"result": "ok", "data": [SHIPMENT]}),
    ],
)
def test_any_other_answer_is_could_not_ask(name, status, body):
    seen = look_up(name, status, body)
    assert isinstance(seen, CouldNotAsk)
    assert seen.status == status
    assert seen.detail


def test_retry_after_is_handed_on():
    seen = look_up("courier", 429, b"", Retry_After="17")
    assert isinstance(seen, CouldNotAsk)
    assert seen.retry_after_seconds == 17


def test_a_redirect_is_neither_followed_nor_believed():
    with an_api() as elsewhere, an_api() as api:
        elsewhere.answer = lambda asked: (200, SUPPLIED)
        api.answer = lambda asked: (302, b"", {"Location": f"{elsewhere.url}/orders/K1"})
        receiver = connector(configured("supplier", api.url))
        seen = receiver.look_up("K1", environment="production", deadline_seconds=5)
        request = receiver.render(
            key="K1", idempotency_key="oc-1", payload_text="{}", environment="production"
        )
        outcome = receiver.send(request, deadline_seconds=5)
    assert isinstance(seen, CouldNotAsk)
    assert isinstance(outcome, Answered)
    assert (outcome.status, outcome.receipt) == (302, None)
    assert elsewhere.asked == []


def test_members_that_are_mapped_make_the_payload_with_their_own_digits():
    body = (
        b'{"reservation":{"reference":"K1","id":10,"state":"picked",'
        b'"line":{"article":"v","count":6.0}}}'
    )
    outcome = send("warehouse", 201, body)
    assert outcome.receipt == parse_json(
        '{"operation_id":"K1","payload":{"sku":"v","quantity":6.0},"status":"confirmed",'
        '"effect_id":"10"}'
    )
    assert outcome.receipt["payload"]["quantity"].text == "6.0"


def test_a_mapped_member_that_is_not_there_is_left_out():
    record = {"reference": "K1", "id": "R1", "state": "picked", "line": {"article": "v"}}
    outcome = send("warehouse", 200, {"reservation": record})
    assert outcome.receipt["payload"] == {"sku": "v"}


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (409, {"code": "out_of_stock"}, "out_of_stock"),
        (422, {"code": 1042}, "1042"),
        (422, {"code": None}, None),
        (422, {"code": ""}, None),
        (422, {"code": {"a": 1}}, None),
        (422, {}, None),
        (500, {"code": "broken"}, "broken"),
        (422, b"<html>", None),
        (201, {"code": "out_of_stock"}, None),
    ],
)
def test_the_receivers_own_code_is_read_where_it_stands(status, body, code):
    outcome = send("warehouse", status, body)
    assert (outcome.refusal_code, outcome.receipt) == (code, None)


@pytest.mark.parametrize("body", [b"", b"null", b"[]", b'"ok"', b"{", {"result": "ok"}, SHIPMENT])
def test_a_success_without_the_record_is_no_receipt(body):
    assert send("courier", 200, body).receipt is None


def test_a_record_is_an_effect_where_the_configuration_says_so():
    outcome = send("mailer", 202, {"tag": "K1", "message_id": "M1", "echo": ORDER})
    assert outcome.receipt["status"] == "confirmed"


def test_without_a_lookup_nothing_is_asked():
    with an_api() as api:
        receiver = connector(configured("mailer", api.url))
        seen = receiver.look_up("K1", environment="production", deadline_seconds=5)
    assert isinstance(seen, CouldNotAsk)
    assert api.asked == []
