"""A lookup reads a whole list, or says that it could not and how far it got."""

import json
import re
import time
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from urllib.parse import parse_qs, urlsplit

import pytest

from operations.protocol.payloads import dumps
from operations.receivers.base import CouldNotAsk, Found, NotFound
from tests.operations.receivers.conftest import an_answer, says
from tests.operations.receivers.stripe_rig import (
    PAYMENTS,
    REFUNDS,
    a_payment,
    a_receiver,
    a_refund,
)
from tests.stripe_server import TEST_KEY

OTHERS = {"opsconsole_key": "order-2", "opsconsole_environment": "production"}


def a_page(*items, has_more=False, **more):
    body = {"object": "list", "data": list(items), "has_more": has_more, "url": "/v1/refunds"}
    return json.dumps({**body, **more}).encode()


def strangers(many, start=0):
    return [a_refund(id=f"re_{start + n}", metadata=OTHERS) for n in range(many)]


def plays(script, *bodies, status="200 OK"):
    """Answer with these bodies in turn, and with the last one for ever."""
    turn = count()

    def act(connection):
        body = bodies[min(next(turn), len(bodies) - 1)]
        says(an_answer(status, body))(connection)

    script.act = act


def look_up(script, *, key="order-1", settings=REFUNDS, seconds=5, **given):
    receiver = a_receiver(settings, base_url=script.url, **given)
    return receiver.look_up(key, environment="production", deadline_seconds=seconds)


def asked(script):
    """The queries that came, in their order."""
    lines = [heard.split(b"\r\n")[0].decode() for heard in script.heard]
    return [parse_qs(urlsplit(line.split(" ")[1]).query) for line in lines]


def test_the_one_with_this_key_and_environment_is_found(script):
    elsewhere = {"opsconsole_key": "order-1", "opsconsole_environment": "staging"}
    page = a_page(a_refund(id="re_0", metadata=elsewhere), *strangers(2, 5), a_refund())
    plays(script, page)

    found = look_up(script)

    assert isinstance(found, Found)
    assert (found.receipt_value["effect_id"], found.status, found.raw) == ("re_1", 200, page)


def test_it_is_asked_for_with_the_key_in_a_header_once_and_nothing_to_repeat(script):
    plays(script, a_page())

    look_up(script)

    (heard,) = script.heard
    assert re.search(rb"(?i)authorization: bearer " + TEST_KEY.encode(), heard)
    assert b"idempotency-key" not in heard.lower()
    assert asked(script) == [{"limit": ["100"]}]


def test_every_page_is_read_before_it_is_not_found(script):
    pages = (
        a_page(*strangers(2), has_more=True),
        a_page(*strangers(2, 2), has_more=True),
        a_page(*strangers(1, 4)),
    )
    plays(script, *pages)

    looked = look_up(script)

    assert looked == NotFound(raw=pages[-1], status=200)
    assert [query.get("starting_after") for query in asked(script)] == [None, ["re_1"], ["re_3"]]


def test_an_empty_list_is_not_found(script):
    plays(script, a_page())
    assert isinstance(look_up(script), NotFound)


def test_one_on_a_later_page_is_found_and_the_search_ends_there(script):
    plays(
        script,
        a_page(*strangers(2, 2), has_more=True),
        a_page(a_refund(), has_more=True),
        a_page(*strangers(1, 9)),
    )
    assert isinstance(look_up(script), Found)
    assert len(script.heard) == 2


def test_of_two_under_one_key_both_are_told_and_the_older_first(script):
    plays(script, a_page(a_refund(id="re_b", created=9), a_refund(id="re_a", created=5)))
    found = look_up(script)
    told = [value["effect_id"] for value in (found.receipt_value, *found.also)]
    assert told == ["re_a", "re_b"]


def test_what_succeeded_is_told_before_what_is_pending_and_what_failed_not_at_all(script):
    made = [
        a_refund(id="re_1", created=1, status="failed"),
        a_refund(id="re_2", created=2, status="pending"),
        a_refund(id="re_3", created=3),
    ]
    plays(script, a_page(*made))
    found = look_up(script)
    told = [value["effect_id"] for value in (found.receipt_value, *found.also)]
    assert told == ["re_3", "re_2"]


def test_where_all_failed_the_latest_is_told_alone(script):
    made = [a_refund(id=f"re_{n}", created=n, status="canceled") for n in (2, 1)]
    plays(script, a_page(*made))
    found = look_up(script)
    assert (found.receipt_value["effect_id"], found.also) == ("re_2", ())


def test_beyond_the_limit_it_could_not_ask_and_says_how_many_were_searched(script):
    starts = count(0, 10)
    script.act = lambda connection: says(
        an_answer("200 OK", a_page(*strangers(10, next(starts)), has_more=True))
    )(connection)

    looked = look_up(script, settings=replace(REFUNDS, search_limit=25))

    assert isinstance(looked, CouldNotAsk)
    assert looked.detail == "the list goes on (30 searched, at most 25 are)"
    assert len(script.heard) == 3


def test_a_list_that_repeats_itself_moved(script):
    plays(script, a_page(*strangers(3), has_more=True))

    looked = look_up(script)

    assert isinstance(looked, CouldNotAsk)
    assert looked.detail.startswith("the list moved: re_0 came twice (3 searched")


@pytest.mark.parametrize(
    "body",
    [
        a_page(has_more=True),
        a_page(a_payment()),
        a_page({"object": "refund"}),
        a_page("re_1"),
        a_page(object="search_result"),
        a_page(has_more="false"),
        a_page(data=None),
        b"[]",
        b"null",
        b'{"object":"list","data":[],"has_more":false,"has_more":false}',
        b"<html>",
        b"",
        b"\xff",
    ],
)
def test_any_other_answer_is_could_not_ask(script, body):
    plays(script, body)

    looked = look_up(script)

    assert isinstance(looked, CouldNotAsk)
    assert (looked.status, looked.raw) == (200, body)
    assert "searched" in looked.detail


@pytest.mark.parametrize("status", ["400 No", "401 No", "404 No", "429 Slow", "500 Oh", "302 Go"])
def test_an_error_on_the_way_is_could_not_ask_and_is_not_repeated(script, status):
    plays(script, b'{"error":{"type":"invalid_request_error","code":"x"}}', status=status)

    looked = look_up(script)

    assert isinstance(looked, CouldNotAsk)
    assert looked.status == int(status[:3])
    assert looked.detail.startswith(f"Stripe answered {status[:3]} ")
    assert len(script.heard) == 1


def test_an_error_on_a_later_page_is_could_not_ask(script):
    first = an_answer("200 OK", a_page(*strangers(2), has_more=True))
    answers = iter([first, an_answer("429 Slow down", b"{}", "Retry-After: 17")])
    script.act = lambda connection: says(next(answers))(connection)

    looked = look_up(script)

    assert isinstance(looked, CouldNotAsk)
    assert (looked.status, looked.retry_after_seconds) == (429, 17)
    assert "(2 searched" in looked.detail


def test_all_pages_share_one_deadline(script):
    starts = count(0, 2)

    def act(connection):
        time.sleep(0.2)
        says(an_answer("200 OK", a_page(*strangers(2, next(starts)), has_more=True)))(connection)

    script.act = act
    began_at = time.monotonic()

    looked = look_up(script, seconds=0.7)

    assert 0.7 <= time.monotonic() - began_at < 1.2
    assert isinstance(looked, CouldNotAsk)
    assert "timed out" in looked.detail or "deadline" in looked.detail


def test_a_receiver_that_is_down_is_could_not_ask():
    receiver = a_receiver(base_url="http://127.0.0.1:1")
    looked = receiver.look_up("order-1", environment="production", deadline_seconds=5)
    assert isinstance(looked, CouldNotAsk)
    assert "refused" in looked.detail


def test_a_record_that_can_not_be_read_as_a_receipt_is_could_not_ask(script):
    plays(script, a_page(a_refund(status="new_word")))
    looked = look_up(script)
    assert isinstance(looked, CouldNotAsk)
    assert "/status" in looked.detail


def test_about_an_operation_only_its_payments_refunds_are_read(script):
    plays(script, a_page())
    payload = {"payment_intent": "pi_7", "amount": "1.00", "currency": "EUR"}
    receiver = a_receiver(base_url=script.url).about(
        payload_text=dumps(payload), registered_at=datetime.now(tz=UTC)
    )
    receiver.look_up("order-1", environment="production", deadline_seconds=5)
    assert asked(script) == [{"payment_intent": ["pi_7"], "limit": ["100"]}]


def test_about_a_payment_only_those_since_its_registration_are_read(script):
    plays(script, a_page())
    at = datetime(2026, 11, 30, tzinfo=UTC)
    receiver = a_receiver(PAYMENTS, base_url=script.url).about(
        payload_text='{"card":"pm_1","amount":"1.00","currency":"EUR"}', registered_at=at
    )
    receiver.look_up("order-1", environment="production", deadline_seconds=5)
    since = str(int(at.timestamp()) - 86_400)
    assert asked(script) == [{"created[gte]": [since], "limit": ["100"]}]


def test_about_a_payload_that_names_no_payment_the_whole_list_is_read(script):
    plays(script, a_page())
    receiver = a_receiver(base_url=script.url).about(
        payload_text="{}", registered_at=datetime.now(tz=UTC)
    )
    receiver.look_up("order-1", environment="production", deadline_seconds=5)
    assert asked(script) == [{"limit": ["100"]}]
