import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest

from operations.protocol.words import at_text, clock_text, shortened, storable, until_text

AT = datetime(2025, 11, 30, 10, 4, 11, tzinfo=UTC)


def test_an_instant_is_written_in_utc() -> None:
    assert at_text(AT) == "2025-11-30 10:04:11 UTC"
    assert at_text(AT.astimezone(timezone(timedelta(hours=14)))) == "2025-11-30 10:04:11 UTC"


@pytest.fixture
def in_tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as changed:
        changed.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("in_tokyo")
def test_the_machines_own_zone_is_never_asked() -> None:
    assert at_text(AT) == "2025-11-30 10:04:11 UTC"
    late = datetime(2025, 11, 30, 20, tzinfo=UTC)  # the next day, in Tokyo
    assert at_text(AT, now=late) == "10:04:11 UTC"


@pytest.mark.parametrize(
    ("now", "text"),
    [
        (datetime(2025, 11, 30, 0, 0, tzinfo=UTC), "10:04:11 UTC"),
        (datetime(2025, 11, 30, 23, 59, 59, tzinfo=UTC), "10:04:11 UTC"),
        (datetime(2025, 12, 1, 0, 0, tzinfo=UTC), "2025-11-30 10:04:11 UTC"),
        (datetime(2025, 12, 1, 1, 0, tzinfo=timezone(timedelta(hours=2))), "10:04:11 UTC"),
    ],
)
def test_the_date_is_left_out_on_the_same_utc_day(now: datetime, text: str) -> None:
    assert at_text(AT, now=now) == text
    assert clock_text(AT, now=now) == text.removesuffix(" UTC")


def test_an_opening_is_rounded_up_and_never_promised_early() -> None:
    assert until_text(AT, now=AT) == "10:04:11 UTC"
    assert until_text(AT + timedelta(microseconds=1), now=AT) == "10:04:12 UTC"
    assert at_text(AT + timedelta(microseconds=999_999), now=AT) == "10:04:11 UTC"


def test_an_opening_may_be_on_the_next_day() -> None:
    late = datetime(2025, 11, 30, 23, 59, 59, 1, tzinfo=UTC)
    assert until_text(late, now=AT) == "2025-12-01 00:00:00 UTC"


def test_long_text_says_how_much_is_left_out() -> None:
    assert shortened("x" * 10, limit=10) == "x" * 10
    assert shortened("x" * 12, limit=10) == f"{'x' * 10}… (2 more characters)"


def test_500_characters_are_shown_unless_it_is_said_otherwise() -> None:
    assert shortened("x" * 500) == "x" * 500
    assert shortened("x" * 501) == f"{'x' * 500}… (1 more characters)"


def test_what_no_column_holds_is_written_out() -> None:
    assert storable("é 😀") == "é 😀"
    assert storable("a\x00b\ud800") == "a\\x00b\\ud800"
