"""Only a receipt is found, only the exact answer is not found; all else is could-not-ask."""

import json
from datetime import UTC, datetime

import pytest

from operations.receivers.answers import read_json_object, read_retry_after
from operations.receivers.base import CouldNotAsk, Found, NotFound, Observation
from operations.receivers.connectors import connector
from tests.operations.receivers.conftest import Script, a_config, an_answer, says

RECEIPT = {
    "operation_id": "K1",
    "payload": {"quantity": 6},
    "status": "confirmed",
    "effect_id": "eff_1",
}
NOT_FOUND = {"error": "not_found", "operation_id": "K1"}


def look_up(script: Script, answer: bytes) -> Observation:
    """What a lookup of K1 makes of an answer."""
    script.act = says(answer)
    receiver = connector(a_config("sandbox", script.url))
    assert receiver is not None
    return receiver.look_up("K1", environment="production", deadline_seconds=5)


def test_a_receipt_is_found(script: Script) -> None:
    raw = json.dumps(RECEIPT).encode()

    observation = look_up(script, an_answer("200 OK", raw))

    assert observation == Found(receipt_value=RECEIPT, raw=raw, status=200)


def test_a_lookup_carries_no_write_key(script: Script) -> None:
    look_up(script, an_answer("200 OK", b"{}"))

    (heard,) = script.heard
    assert heard.startswith(b"GET /orders/K1 HTTP/1.1\r\n")
    assert b"idempotency-key" not in heard.lower()
    assert b"\r\nenvironment: production\r\n" in heard.lower()


@pytest.mark.parametrize(
    ("key", "target"),
    [(".", b"%2E"), ("..", b"%2E%2E"), ("a.b", b"a.b"), ("a/../b", b"a%2F..%2Fb"), ("%", b"%25")],
)
def test_a_key_is_one_segment_that_nothing_on_the_way_resolves(
    script: Script, key: str, target: bytes
) -> None:
    script.act = says(an_answer("200 OK", b"{}"))
    receiver = connector(a_config("sandbox", script.url))
    assert receiver is not None

    receiver.look_up(key, environment="production", deadline_seconds=5)

    (heard,) = script.heard
    assert heard.startswith(b"GET /orders/" + target + b" HTTP/1.1\r\n")


def test_a_receipt_of_another_order_is_handed_on_to_be_judged(script: Script) -> None:
    raw = json.dumps({**RECEIPT, "operation_id": "K2"}).encode()

    assert isinstance(look_up(script, an_answer("200 OK", raw)), Found)


def test_the_exact_answer_is_not_found(script: Script) -> None:
    raw = json.dumps(NOT_FOUND).encode()

    assert look_up(script, an_answer("404 Not Found", raw)) == NotFound(raw=raw, status=404)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        ("404 Not Found", b""),
        ("404 Not Found", b"<html>no such page</html>"),
        ("404 Not Found", b'{"error":"not_found"}'),
        ("404 Not Found", b'{"error":"not_found","operation_id":"K2"}'),
        ("404 Not Found", b'{"error":"not_found","operation_id":"K1","truncated":true}'),
        ("404 Not Found", b'{"error":{"code":"unknown_path","detail":"no such path"}}'),
        ("200 OK", json.dumps(NOT_FOUND).encode()),
        ("410 Gone", json.dumps(NOT_FOUND).encode()),
        ("200 OK", b""),
        ("200 OK", b"{}"),
        ("200 OK", b"[]"),
        ("200 OK", b"<html>Sign in</html>"),
        ("200 OK", json.dumps(RECEIPT).encode()[:-1]),
        ("200 OK", b'{"status":"received"}'),
        ("200 OK", json.dumps({**RECEIPT, "status": "shipped"}).encode()),
        ("202 Accepted", json.dumps(RECEIPT).encode()),
        ("206 Partial Content", json.dumps(RECEIPT).encode()),
        ("307 Temporary Redirect", b""),
        ("401 Unauthorized", b'{"error":"unauthorized"}'),
        ("500 Internal Server Error", json.dumps(RECEIPT).encode()),
    ],
)
def test_any_other_answer_is_could_not_ask(script: Script, status: str, body: bytes) -> None:
    observation = look_up(script, an_answer(status, body))

    assert isinstance(observation, CouldNotAsk)
    assert (observation.status, observation.raw) == (int(status[:3]), body)
    assert observation.detail


def test_a_receipt_that_breaks_off_is_could_not_ask(script: Script) -> None:
    whole = an_answer("200 OK", json.dumps(RECEIPT).encode())

    observation = look_up(script, whole[:-5])

    assert isinstance(observation, CouldNotAsk)
    assert observation.status == 200


def test_retry_after_is_handed_on(script: Script) -> None:
    observation = look_up(script, an_answer("429 Slow down", b"", "Retry-After: 17"))

    assert isinstance(observation, CouldNotAsk)
    assert observation.retry_after_seconds == 17


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0),
        ("120", 120),
        ("999999999", 86_400),
        ("Mon, 30 Nov 2026 12:00:30 GMT", 30),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0),
        ("Mon, 30 Nov 2029 11:00:00 GMT", 86_400),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(text: str, seconds: int | None) -> None:
    now = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)

    assert read_retry_after({"retry-after": text}, now=now) == seconds


def test_a_payload_of_64_levels_is_read_inside_its_receipt() -> None:
    payload = "[" * 64 + "]" * 64

    assert read_json_object(f'{{"payload":{payload}}}'.encode()) is not None


@pytest.mark.parametrize("raw", [b'{"a":1,"a":2}', b'{"a":NaN}', b"\xff", b'"text"', b"null"])
def test_what_is_not_an_exact_json_object_is_none(raw: bytes) -> None:
    assert read_json_object(raw) is None
