"""Receivers' addresses. They come from configuration only, never from a payload or an answer."""

from urllib.parse import quote, urlsplit

from operations.receivers.base import ConfigMistake


def check_base_url(url: str) -> str:
    """The URL without a slash at its end; raises ConfigMistake unless it is a plain http(s) URL."""
    try:
        parts = urlsplit(url)
        is_plain = (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and parts.port != 0
            and not (parts.query or parts.fragment or parts.username or parts.password)
            and url.isascii()
            and url.isprintable()
        )
    except ValueError:
        is_plain = False
    if not is_plain:
        expected = "an http or https URL without user, query and fragment"
        raise ConfigMistake(field_name="base_url", expected=expected, got=repr(url))
    return url.rstrip("/")


def is_below(url: str, base_url: str) -> bool:
    """Whether a stored URL still belongs to the receiver configured now."""
    return url.startswith(f"{base_url}/")


def as_segment(key: str) -> str:
    """A key as one segment of a path. Dots that stand alone would be resolved on the way."""
    segment = quote(key, safe="")
    return segment.replace(".", "%2E") if set(key) == {"."} else segment
