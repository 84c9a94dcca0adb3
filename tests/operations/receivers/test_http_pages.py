"""From page to page: only what is configured leads on or ends a list, and no link leads away."""

from typing import Any

import pytest

from operations.receivers.base import CouldNotAsk, Found, NotFound
from operations.receivers.connectors import connector
from tests.http_receivers import Asked, an_api, at, load
from tests.operations.receivers.http_lists import (
    PAGE,
    asked_for,
    by_cursor,
    look_up,
    record,
    records,
)


@pytest.fixture
def api():
    with an_api() as running:
        yield running


@pytest.mark.parametrize(
    "page",
    [
        {"reservations": [], "next_cursor": "7"},
        {"reservations": []},
        {"reservations": None, "next_cursor": None},
        {"reservations": {}, "next_cursor": None},
        {"next_cursor": None},
        {"reservations": [record(9), "R10"], "next_cursor": None},
        {"reservations": [], "next_cursor": True},
        {"reservations": [record(9)], "next_cursor": ["7"]},
        [record(9)],
        b"<html>",
        b"",
        b'{"reservations":[],"next_cursor":null',
    ],
)
def test_a_page_of_another_shape_is_could_not_ask(api, page):
    api.answer = lambda asked: (200, page)
    seen = look_up(api, "warehouse", "K1")
    assert isinstance(seen, CouldNotAsk)
    assert "searched" in seen.detail
    assert len(api.asked) == 1


@pytest.mark.parametrize("status", [201, 204, 206, 302, 401, 404, 429, 500])
def test_a_page_with_another_status_is_could_not_ask(api, status):
    first = by_cursor(records(250))
    body = {"reservations": [], "next_cursor": None}
    api.answer = lambda asked: (
        first(asked) if asked_for(asked, "cursor") is None else (status, body, {"Retry-After": "9"})
    )
    seen = look_up(api, "warehouse", "order-251")
    assert isinstance(seen, CouldNotAsk)
    assert (seen.status, seen.retry_after_seconds) == (status, 9)
    assert f"got status {status} (100 records searched" in seen.detail


def test_an_absent_cursor_ends_the_list_only_where_that_is_configured(api):
    api.answer = lambda asked: (200, {"reservations": records(3)})
    assert isinstance(look_up(api, "warehouse", "K1"), CouldNotAsk)
    may_be = {"old0": 'next = "/next', "new0": 'missing_next_ends = true, next = "/next'}
    assert isinstance(look_up(api, "warehouse", "K1", **may_be), NotFound)


@pytest.mark.parametrize("cursor", [None, ""])
def test_an_empty_cursor_ends_the_list_unless_there_is_more(api, cursor):
    body = {"reservations": records(3), "next_cursor": cursor, "more": True}
    api.answer = lambda asked: (200, body)
    assert isinstance(look_up(api, "warehouse", "K1"), NotFound)
    told = {"old0": 'next = "/next', "new0": 'has_more = "/more", next = "/next'}
    assert isinstance(look_up(api, "warehouse", "K1", **told), CouldNotAsk)


def test_a_cursor_that_leads_back_is_no_end(api):
    numbers = iter(range(1, 1000))
    api.answer = lambda asked: (
        200,
        {"reservations": [record(next(numbers))], "next_cursor": "again"},
    )
    seen = look_up(api, "warehouse", "K1")
    assert isinstance(seen, CouldNotAsk)
    assert "leads back" in seen.detail
    assert len(api.asked) == 2


def test_a_cursor_is_quoted(api):
    odd = "a&b=c #/?+é"
    api.answer = lambda asked: (
        200,
        {
            "reservations": [record(len(api.asked))],
            "next_cursor": odd if len(api.asked) == 1 else None,
        },
    )
    assert isinstance(look_up(api, "warehouse", "K1"), NotFound)
    assert asked_for(api.asked[1], "cursor") == odd
    assert asked_for(api.asked[1], "limit") == "100"


def test_the_last_records_id_can_be_the_cursor(api):
    everything = records(250)

    def answer(asked: Asked) -> tuple[Any, ...]:
        after = asked_for(asked, "cursor")
        start = int(after[1:]) if after else 0
        page = everything[start : start + PAGE]
        return 200, {"reservations": page, "has_more": start + PAGE < len(everything)}

    api.answer = answer
    last = {"old0": 'next = "/next_cursor"', "new0": 'last_item = "/id", has_more = "/has_more"'}
    assert isinstance(look_up(api, "warehouse", "order-201", **last), Found)
    assert isinstance(look_up(api, "warehouse", "K1", **last), NotFound)


def test_a_list_of_one_page_that_says_that_it_goes_on_is_not_whole(api):
    api.answer = lambda asked: (
        200,
        {"reservations": records(3), "next_cursor": None, "more": True},
    )
    one = {
        "old0": '{ by = "cursor", parameter = "cursor", next = "/next_cursor" }',
        "new0": '{ has_more = "/more" }',
    }
    assert isinstance(look_up(api, "warehouse", "K1", **one), CouldNotAsk)


@pytest.mark.parametrize(
    "link",
    [
        "http://127.0.0.1:1/tickets?after=1",
        "//127.0.0.1:1/tickets",
        "https://evil.example/tickets",
        "/admin",
        "/v1evil/tickets",
        "../admin",
        "/v1/../admin",
        "/v1/%2e%2e/admin",
        "/v1/tickets\\..\\..\\admin",
        "@evil.example/",
        "tickets#fragment",
    ],
)
def test_a_link_that_leaves_the_receiver_is_not_followed(link):
    with an_api() as api:
        here = f"{api.url}/v1"
        api.answer = lambda asked: (200, [record(1)], {"Link": f'<{link}>; rel="next"'})
        config = load(at(here)).receivers[("production", "tickets")]
        seen = connector(config).look_up("K1", environment="production", deadline_seconds=5)
        assert isinstance(seen, CouldNotAsk) or "@" in link
        assert all(asked.target.startswith("/v1/") for asked in api.asked)
        assert len(api.asked) == 1 + ("@" in link)


@pytest.mark.parametrize("link", ["{url}/tickets?after=1", "/tickets?after=1", "?after=1"])
def test_a_link_below_the_receiver_is_followed(api, link):
    target = link.format(url=api.url)
    api.answer = lambda asked: (
        (200, [record(2)])
        if asked_for(asked, "after")
        else (200, [record(1)], {"Link": f'<{target}>; rel="prefetch next"'})
    )
    assert isinstance(look_up(api, "tickets", "K1"), NotFound)
    assert [asked.headers.get("x-api-key") for asked in api.asked] == ["tickets-s3cret"] * 2


def test_a_link_in_the_body_is_followed_to_its_null(api):
    def answer(asked: Asked) -> tuple[Any, ...]:
        start = int(asked_for(asked, "from") or 0)
        following = f"{api.url}/tickets?from={start + 1}" if start < 2 else None
        return 200, {"items": [record(start + 1)], "links": {"next": following}}

    api.answer = answer
    in_body = {
        "old0": 'items = ""',
        "new0": 'items = "/items"',
        "old1": '{ by = "link_header" }',
        "new1": '{ by = "link", next = "/links/next" }',
    }
    assert isinstance(look_up(api, "tickets", "order-3", **in_body), Found)
    assert len(api.asked) == 3
