"""Spans, instants, money and bytes as they are read."""

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest

from operations.templatetags import wording
from operations.templatetags.console import raw_text

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 s"),
        (59, "59 s"),
        (131, "2 m 11 s"),
        (32_400, "9 h"),
        (11_525, "3 h 12 m"),
        (259_500, "3 d"),
    ],
)
def test_a_span_reads_in_its_two_largest_units(seconds: int, words: str) -> None:
    assert wording.span(timedelta(seconds=seconds)) == words


def test_an_instant_reads_from_now_in_both_directions() -> None:
    assert wording.relative(NOON - timedelta(minutes=5), NOON) == "5 m ago"
    assert wording.relative(NOON + timedelta(seconds=42), NOON) == "in 42 s"
    assert wording.relative(NOON, NOON) == "just now"


def test_an_exact_instant_carries_milliseconds_and_its_zone() -> None:
    tallinn = timezone(timedelta(hours=2), "EET")
    at = datetime(2026, 11, 30, 12, 0, 1, 250_000, tzinfo=tallinn)
    assert wording.exact(at) == "2026-11-30 12:00:01.250 EET +02:00"
    assert wording.exact(NOON).endswith(" UTC")


def test_a_naive_instant_is_refused() -> None:
    with pytest.raises(ValueError, match="expected an instant with a zone"):
        wording.exact(NOON.replace(tzinfo=None))


@pytest.mark.parametrize(
    ("amount", "locale", "words"),
    [
        ("1200.00", "en", "€1,200.00"),
        ("1200.00", "de", "1.200,00\xa0€"),
        ("10.005", "en", "€10.005"),
        ("9007199254740993.01", "en", "€9,007,199,254,740,993.01"),
    ],
)
def test_money_keeps_every_digit_it_was_given(amount: str, locale: str, words: str) -> None:
    assert wording.money(Decimal(amount), "EUR", locale) == words


def test_kept_bytes_show_what_can_not_be_printed_as_escapes() -> None:
    assert raw_text(b'{"a": 1}\x00\xff\x1b[2J\n') == '{"a": 1}\\x00\\xff\\x1b[2J\n'
    assert raw_text("\u202e€".encode()) == "\\u202e€"


def test_a_long_digest_keeps_its_two_ends() -> None:
    assert wording.shortened("9c1f0d5b2a" + "0" * 48 + "6d7e8f") == "9c1f0d5b2a…6d7e8f"
    assert wording.shortened("order-17") == "order-17"
