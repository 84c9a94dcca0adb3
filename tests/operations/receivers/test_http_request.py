"""How the http receiver words its call: exact JSON, quoted segments, no secret but on the way."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operations.protocol.payloads import MalformedJSON, dumps, parse_json
from operations.protocol.refusals import InvalidField, InvalidPayload
from operations.receivers.base import Answered, NoAnswer, Request
from operations.receivers.connectors import connector
from operations.receivers.http_template import Filling, fill_body, fill_url
from tests.http_receivers import an_api, at, configured, documented, load

KEYS = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=200)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.text(max_size=20)
    | st.sampled_from(["1.50", "1e2", "-0.0", "9007199254740993", "0.10"]).map(Decimal),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


def rendered(name: str, payload_text: str, *, key: str = "K1", url: str = "http://127.0.0.1:1"):
    receiver = connector(configured(name, url))
    return receiver.render(
        key=key, idempotency_key="oc-1", payload_text=payload_text, environment="production"
    )


def test_members_of_the_payload_keep_how_they_were_written():
    request = rendered("warehouse", '{"sku":"é\\"","quantity":6.50,"price":1}')
    assert request.body.decode() == (
        '{"request_id":"oc-1","reference":"K1","line":{"article":"é\\"","count":6.50}}'
    )


def test_an_optional_member_is_sent_where_it_is_and_null_is_no_absence():
    assert '"note":"fast"' in rendered("warehouse", A_LINE % '"fast"').body.decode()
    assert '"note":null' in rendered("warehouse", A_LINE % "null").body.decode()


A_LINE = '{"sku":"v","quantity":6,"note":%s}'


def test_a_member_that_the_call_carries_and_the_payload_lacks_is_refused_by_its_place():
    with pytest.raises(InvalidPayload) as refused:
        rendered("warehouse", '{"sku":"v"}')
    assert refused.value.members["field"] == "/quantity"


def test_the_whole_payload_stands_in_its_place_byte_for_byte():
    payload = '{"z":1.0,"a":[1e2,{"é":"\\u0001"}]}'
    assert f'"payload":{payload}}}'.encode() in rendered("supplier", payload).body


@given(key=KEYS, value=VALUES, text=st.text(max_size=30))
def test_nothing_of_a_payload_or_a_key_leaves_its_place(key, value, text):
    template = {"id": "{key}", "ref": "a {key} of {environment}", "v": "{payload/v}", "end": [True]}
    texts = {"key": key, "environment": text}
    payload = dumps({"v": value})
    filled = fill_body(template, Filling(texts=texts, payload_text=payload)) if _ok(payload) else ""
    if filled:
        back = parse_json(filled, keeps_any_text=True)
        assert list(back) == ["id", "ref", "v", "end"]
        assert (back["id"], back["ref"]) == (key, f"a {key} of {text}")
        assert dumps(back["v"]) == dumps(parse_json(payload)["v"])


def _ok(payload: str) -> bool:
    try:
        parse_json(payload)
    except MalformedJSON:
        return False
    return True


@given(key=KEYS)
def test_a_key_is_one_segment_of_the_path_and_one_value_of_the_query(key):
    path, _, query = fill_url("/orders/{key}/x?ref={key}&n=1", {"key": key}).partition("?")
    assert path.count("/") == 3
    assert path.split("/")[2] not in (".", "..")
    assert query.count("&") == 1
    assert not set(path + query) & set('#\\ "<>')


def test_a_place_in_a_text_is_never_filled_twice():
    request = rendered("supplier", '{"sku":"{key}"}', key="{environment}")
    body = json.loads(request.body)
    assert body == {"operation_id": "{environment}", "payload": {"sku": "{key}"}}


def test_the_configured_headers_take_the_place_of_the_usual_ones():
    request = rendered("supplier", "{}")
    assert request.headers == {
        "Content-Type": "application/json",
        "Environment": "production",
        "Idempotency-Key": "oc-1",
    }
    text = at("http://127.0.0.1:1").replace(
        "{ Environment =", '{ content-type = "application/vnd.a+json", Environment ='
    )
    receiver = connector(load(text).receivers[("production", "supplier")])
    other = receiver.render(
        key="K1", idempotency_key="oc-1", payload_text="{}", environment="production"
    )
    assert other.headers["content-type"] == "application/vnd.a+json"
    assert "Content-Type" not in other.headers


def test_a_key_that_is_no_header_is_refused_where_a_header_carries_it():
    text = documented().replace('Environment = "{environment}"', 'X-Reference = "{key}"', 1)
    receiver = connector(load(at("http://127.0.0.1:1", text)).receivers[("production", "supplier")])
    with pytest.raises(InvalidField, match="X-Reference"):
        receiver.render(
            key=" K1", idempotency_key="oc-1", payload_text="{}", environment="production"
        )


def test_a_secret_is_in_no_request_that_is_kept_and_in_the_one_that_leaves():
    with an_api() as api:
        receiver = connector(configured("warehouse", api.url))
        request = receiver.render(
            key="K1", idempotency_key="oc-1", payload_text=A_LINE % 1, environment="production"
        )
        assert "s3cret" not in repr(request)
        assert "Authorization" not in request.headers
        receiver.send(request, deadline_seconds=5)
        receiver.look_up("K1", environment="production", deadline_seconds=5)
    sent, asked = api.asked
    assert sent.headers["authorization"] == "Bearer warehouse-s3cret"
    assert asked.headers["authorization"] == "Bearer warehouse-s3cret"
    assert (sent.method, sent.target) == ("POST", "/v2/production/reservations")


def test_a_lookup_carries_no_write_key():
    with an_api() as api:
        receiver = connector(configured("supplier", api.url))
        receiver.look_up("K1", environment="production", deadline_seconds=5)
    (asked,) = api.asked
    assert (asked.method, asked.target, asked.body) == ("GET", "/orders/K1", b"")
    assert not {"idempotency-key", "content-type"} & set(asked.headers)
    assert asked.headers["environment"] == "production"


def test_each_environment_has_its_own_credentials():
    with an_api() as api:
        for environment in ("production", "staging"):
            receiver = connector(configured("courier", api.url, environment=environment))
            receiver.look_up("K1", environment=environment, deadline_seconds=5)
    live, test = (asked.headers["authorization"] for asked in api.asked)
    assert (live, test) == ("Basic courier-s3cret", "Basic courier-test-s3cret")


def test_a_secret_is_in_no_word_about_a_call_that_failed():
    receiver = connector(configured("warehouse", "http://127.0.0.1:1"))
    request = receiver.render(
        key="K1", idempotency_key="oc-1", payload_text=A_LINE % 1, environment="production"
    )
    outcome = receiver.send(request, deadline_seconds=5)
    seen = receiver.look_up("K1", environment="production", deadline_seconds=5)
    assert isinstance(outcome, NoAnswer)
    assert outcome.sent is False
    assert "s3cret" not in repr(outcome) + repr(seen)


def test_a_stored_request_for_another_address_is_not_sent():
    with an_api() as api:
        receiver = connector(configured("warehouse", f"{api.url}/api"))
        for url in (f"{api.url}/orders", f"{api.url}/api-other/orders"):
            request = Request(method="POST", url=url, headers={}, body=b"{}")
            outcome = receiver.send(request, deadline_seconds=5)
            assert isinstance(outcome, NoAnswer)
            assert outcome.sent is False
        assert api.asked == []


def test_a_put_to_the_keys_own_address_carries_the_key_in_it():
    with an_api() as api:
        api.answer = lambda asked: (201, {"external_id": "a/b", "number": 7, "data": {"n": 1}})
        receiver = connector(configured("tickets", api.url))
        request = receiver.render(
            key="a/b", idempotency_key="oc-1", payload_text='{"n":1}', environment="production"
        )
        outcome = receiver.send(request, deadline_seconds=5)
    (asked,) = api.asked
    assert (asked.method, asked.target) == ("PUT", "/tickets/a%2Fb")
    assert asked.headers["x-api-key"] == "tickets-s3cret"
    assert asked.headers["accept"] == "application/vnd.tickets+json"
    assert isinstance(outcome, Answered)
    assert outcome.receipt["effect_id"] == "7"
    assert outcome.receipt["status"] == "confirmed"
