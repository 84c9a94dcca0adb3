"""Receivers' addresses. They come from configuration only, never from a payload or an answer."""

import re
from urllib.parse import quote, unquote, urljoin, urlsplit

from operations.receivers.base import ConfigMistake


def check_base_url(url: str) -> str:
    """The URL without a slash at its end; raises ConfigMistake unless it is a plain http(s) URL."""
    if not _is_plain(url):
        expected = "an http or https URL without user, query and fragment"
        got = "one with a user" if "@" in url else repr(url)  # a password is not repeated
        raise ConfigMistake(field_name="base_url", expected=expected, got=got)
    return url.rstrip("/")


def is_below(url: str, base_url: str) -> bool:
    """Whether a stored URL still belongs to the receiver configured now."""
    return url.startswith(f"{base_url}/")


def next_address(link: str, *, current: str, base_url: str) -> str | None:
    """Where a link in an answer from `current` leads; None unless that is below the base URL.

    Dots that stand alone are no way out, however they are written.
    """
    if not re.fullmatch(r"[!-~]+", link) or set(link) & set('\\#"<>'):
        return None
    try:
        address = urljoin(current, link)
        path = urlsplit(address).path
    except ValueError:
        return None
    has_dots = any(unquote(segment) in (".", "..") for segment in path.split("/"))
    return address if is_below(address, base_url) and not has_dots else None


def as_segment(key: str) -> str:
    """A key as one segment of a path. Dots that stand alone would be resolved on the way."""
    segment = quote(key, safe="")
    return segment.replace(".", "%2E") if set(key) == {"."} else segment


def _is_plain(url: str) -> bool:
    if not re.fullmatch(r"https?://[!-~]+", url) or set(url) & set("?#@\\"):
        return False
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
