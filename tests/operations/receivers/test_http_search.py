"""A lookup in a list: the whole of it is searched, or nothing is concluded; a find is a find."""

import json
import time
from typing import Any

import pytest

from operations.receivers.base import CouldNotAsk, Found, NotFound
from tests.http_receivers import Asked, an_api
from tests.operations.receivers.http_lists import (
    ORDER,
    PAGE,
    SHAPES,
    asked_for,
    by_cursor,
    look_up,
    numbered,
    record,
    records,
)


@pytest.fixture
def api():
    with an_api() as running:
        yield running


@pytest.mark.parametrize("name", SHAPES)
def test_record_201_of_250_is_found_and_the_rest_is_read_for_a_second_one(api, name):
    """Case 56: a list is read to its end, however long."""
    api.answer = SHAPES[name](records(250))
    found = look_up(api, name, "order-201")
    assert isinstance(found, Found)
    assert found.receipt_value["operation_id"] == "order-201"
    assert found.receipt_value["payload"] == ORDER
    assert found.also == ()
    assert b"order-201" in found.raw
    assert len(api.asked) == 3


@pytest.mark.parametrize("name", SHAPES)
def test_not_found_is_said_after_the_whole_list(api, name):
    api.answer = SHAPES[name](records(250))
    assert isinstance(look_up(api, name, "order-251"), NotFound)
    assert len(api.asked) == 3


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("count", [0, 1, 100, 200])
def test_a_list_ends_where_it_ends(api, name, count):
    api.answer = SHAPES[name](records(count))
    assert isinstance(look_up(api, name, "order-0"), NotFound)
    assert len(api.asked) == max(1, count // PAGE)


@pytest.mark.parametrize("name", SHAPES)
def test_a_limit_that_stops_the_search_says_how_many_were_searched(api, name):
    """Case 56: a search that was cut off is no answer."""
    api.answer = SHAPES[name](records(450))
    old = {"supplier-by-pages": "5000", "warehouse": "2000", "tickets": "300"}[name]
    limit = {"old0": f"search_limit = {old}", "new0": "search_limit = 150"}
    seen = look_up(api, name, "order-401", **limit)
    assert isinstance(seen, CouldNotAsk)
    assert seen.detail == "the list goes on (200 records searched, the limit is 150)"
    assert len(api.asked) == 2
    assert isinstance(look_up(api, name, "order-180", **limit), Found)


@pytest.mark.parametrize("name", SHAPES)
def test_a_record_that_comes_twice_shows_that_the_list_moved(api, name):
    moved = records(100) + records(150)[99:]
    api.answer = SHAPES[name](moved)
    seen = look_up(api, name, "order-151")
    assert isinstance(seen, CouldNotAsk)
    assert "the list moved: a record came twice (100 records searched" in seen.detail
    assert isinstance(look_up(api, name, "order-7"), Found)


@pytest.mark.parametrize("name", SHAPES)
def test_two_effects_under_one_key_are_both_told(api, name):
    twice = [*records(120), record(121, "order-5"), *records(150)[121:]]
    api.answer = SHAPES[name](twice)
    found = look_up(api, name, "order-5")
    assert isinstance(found, Found)
    told = [value["effect_id"] for value in (found.receipt_value, *found.also)]
    assert len(set(told)) == 2
    assert [effect.lstrip("ER") for effect in told] == ["5", "121"]
    assert len(found.raw.split(b"\n")) == 2
    for page in found.raw.split(b"\n"):
        assert b'"order-5"' in page


def test_a_record_that_denies_comes_after_one_that_confirms(api):
    both = [record(1, "K1", state="rejected"), record(2, "K1", state="received"), record(3, "K1")]
    api.answer = by_cursor(both)
    found = look_up(api, "warehouse", "K1")
    assert isinstance(found, Found)
    said = [value["status"] for value in (found.receipt_value, *found.also)]
    assert said == ["confirmed", "pending", "refused"]


def test_a_record_of_ours_that_can_not_be_read_is_could_not_ask(api):
    api.answer = by_cursor([record(1, "K1"), record(2, "K1", state="lost")])
    seen = look_up(api, "warehouse", "K1")
    assert isinstance(seen, CouldNotAsk)
    assert "lost" in seen.detail


@pytest.mark.parametrize(("name", "place"), [("total", "total"), ("total_pages", "total_pages")])
def test_a_count_that_changes_shows_that_the_list_moved(api, name, place):
    still = numbered(records(250))

    def answer(asked: Asked) -> tuple[Any, ...]:
        status, body = still(asked)
        return status, {**body, name: body[place] + (asked_for(asked, "page") == "2")}

    api.answer = answer
    seen = look_up(api, "supplier-by-pages", "order-999")
    assert isinstance(seen, CouldNotAsk)
    assert f"the list moved: /{name} was" in seen.detail


@pytest.mark.parametrize("total", [249, 251, 0])
def test_a_count_that_is_not_the_lists_shows_that_it_is_not_whole(api, total):
    api.answer = numbered(records(250), total=total)
    seen = look_up(api, "supplier-by-pages", "order-999")
    assert isinstance(seen, CouldNotAsk)
    assert f"the receiver counts {total} records, and its list had 250" in seen.detail


@pytest.mark.parametrize("total", [None, "250", -1, 2.5, True, [250]])
def test_a_count_that_is_none_is_could_not_ask(api, total):
    api.answer = numbered(records(250), total=total)
    assert isinstance(look_up(api, "supplier-by-pages", "order-999"), CouldNotAsk)


def test_without_any_count_a_numbered_list_ends_with_its_first_empty_page(api):
    uncounted = {
        "old0": ', total_pages = "/total_pages", total = "/total"',
        "new0": "",
    }
    api.answer = numbered(records(200))
    assert isinstance(look_up(api, "supplier-by-pages", "K1", **uncounted), NotFound)
    assert [asked_for(asked, "page") for asked in api.asked] == ["1", "2", "3"]


def test_a_record_without_any_key_is_somebody_elses_only_where_that_is_configured(api):
    foreign = {name: value for name, value in record(1).items() if name != "reference"}
    api.answer = lambda asked: (200, {"reservations": [foreign], "next_cursor": None})
    assert isinstance(look_up(api, "warehouse", "K1"), NotFound)
    strict = {"old0": "key_may_be_missing = true", "new0": ""}
    seen = look_up(api, "warehouse", "K1", **strict)
    assert isinstance(seen, CouldNotAsk)
    assert "/reference" in seen.detail


def test_records_without_an_id_are_told_apart_by_all_of_them(api):
    nameless = [record(number, None, id=None) for number in (1, 2)]
    api.answer = lambda asked: (200, {"reservations": nameless, "next_cursor": None})
    assert isinstance(look_up(api, "warehouse", "K1"), NotFound)
    api.answer = lambda asked: (200, {"reservations": nameless[:1] * 2, "next_cursor": None})
    assert isinstance(look_up(api, "warehouse", "K1"), CouldNotAsk)


def test_one_deadline_holds_for_all_pages(api):

    whole = by_cursor(records(1500))

    def answer(asked: Asked) -> tuple[Any, ...]:
        time.sleep(0.2)
        return whole(asked)

    api.answer = answer
    began_at = time.monotonic()
    seen = look_up(api, "warehouse", "K1", seconds=0.7)
    assert time.monotonic() - began_at < 2
    assert isinstance(seen, CouldNotAsk)
    assert "00 records searched" in seen.detail


@pytest.mark.parametrize("key", [17, True, ["17"], {"id": "17"}])
def test_a_key_that_became_something_else_is_could_not_ask(api, key):
    api.answer = lambda asked: (200, [record(1, key)])
    assert isinstance(look_up(api, "tickets", "17"), CouldNotAsk)


def test_a_payload_of_64_levels_is_read_in_a_list(api):
    payload = json.loads("[" * 64 + "]" * 64)
    api.answer = numbered([record(1, payload=payload)])
    found = look_up(api, "supplier-by-pages", "order-1")
    assert isinstance(found, Found)
    assert found.receipt_value["payload"] == payload


@pytest.mark.parametrize("word", [1, "true", "confirmed", None])
def test_a_word_that_only_equals_a_listed_one_in_python_is_another_one(api, word):
    api.answer = numbered([record(1, confirmed=word)])
    seen = look_up(api, "supplier-by-pages", "order-1")
    assert isinstance(seen, CouldNotAsk)
    assert "not listed" in seen.detail
