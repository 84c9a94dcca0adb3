"""Instants, spans, money and digests as a person reads them. Plain functions; no Django."""

from datetime import datetime, timedelta
from decimal import Decimal

from babel.core import UnknownLocaleError
from babel.numbers import format_currency

SPAN_UNITS = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))


def span(length: timedelta) -> str:
    """A length in its two largest units, such as "3 h 12 m"; under a second is "0 s".

    The sign is left out: the caller's sentence says "ago" or "in".
    """
    seconds = abs(int(length.total_seconds()))
    index = next((i for i, (_, size) in enumerate(SPAN_UNITS) if seconds >= size), -1)
    words: list[str] = []
    for unit, size in SPAN_UNITS[index:][:2]:
        count, seconds = divmod(seconds, size)
        if count or not words:
            words.append(f"{count} {unit}")
    return " ".join(words)


def relative(at: datetime, now: datetime) -> str:
    """An instant as seen from `now`: "3 h 12 m ago", "in 42 s", "just now"."""
    length = now - at
    if abs(length) < timedelta(seconds=1):
        return "just now"
    return f"{span(length)} ago" if length > timedelta(0) else f"in {span(length)}"


def exact(at: datetime) -> str:
    """An instant to the millisecond with its offset. Raises ValueError for a naive one."""
    if at.tzinfo is None:
        raise ValueError(f"expected an instant with a zone, got {at!r}")
    return f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03d} {zone(at)}"


def zone(at: datetime) -> str:
    """The zone's name with its offset, such as "CET +01:00"; just "UTC" for UTC."""
    name, offset = at.tzname() or "", f"{at:%:z}"
    return name if name == "UTC" else f"{name} {offset}".strip()


def money(amount: Decimal, currency: str, locale: str = "en") -> str:
    """An amount in the person's locale with every digit it was given; nothing is rounded."""
    try:
        return format_currency(
            amount,
            currency,
            locale=locale.replace("-", "_"),
            decimal_quantization=False,
        )
    except UnknownLocaleError:
        return format_currency(amount, currency, locale="en", decimal_quantization=False)


def shortened(text: str, *, head: int = 10, tail: int = 6) -> str:
    """The two ends of a long id or digest; short ones stay whole."""
    return text if len(text) <= head + tail + 1 else f"{text[:head]}…{text[-tail:]}"


def byte_size(count: int) -> str:
    """A size in bytes, or in KiB and MiB with one decimal."""
    if count < 1024:
        return f"{count} B"
    if count < 1024**2:
        return f"{count / 1024:.1f} KiB"
    return f"{count / 1024**2:.1f} MiB"
