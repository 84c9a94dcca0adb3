"""How instants and lengths are written in sentences: UTC, exact to the second, no locale."""

from datetime import UTC, datetime, timedelta


def at_text(at: datetime, *, now: datetime | None = None) -> str:
    """`2025-11-30 10:04:11 UTC`; the date is left out when it is the UTC date of `now`."""
    at = at.astimezone(UTC)
    is_today = now is not None and now.astimezone(UTC).date() == at.date()
    return at.strftime("%H:%M:%S UTC" if is_today else "%Y-%m-%d %H:%M:%S UTC")


def clock_text(at: datetime, *, now: datetime) -> str:
    """Like at_text without the zone, for sums whose result already names it."""
    return at_text(at, now=now).removesuffix(" UTC")


def until_text(at: datetime, *, now: datetime | None = None) -> str:
    """Like at_text, rounded up to the full second: a sentence never promises an opening early."""
    if at.microsecond:
        at = at.replace(microsecond=0) + timedelta(seconds=1)
    return at_text(at, now=now)


def shortened(text: str, *, limit: int = 500) -> str:
    """The text itself, or its beginning with the count of characters left out."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… ({len(text) - limit} more characters)"


def storable(text: str) -> str:
    """The text with what no database column holds (U+0000, lone surrogates) written out."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\x00", "\\x00")
