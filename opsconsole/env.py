"""Typed readers of environment variables: a wrong value stops the start with a sentence."""

import os
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

YES = ("1", "true", "yes", "on")
NO = ("0", "false", "no", "off")


def text(name: str, *, default: str) -> str:
    """Return the variable as it stands, or the default when it is unset or empty."""
    return os.environ.get(name) or default


def whole_number(
    name: str, *, default: int, at_least: int | None = None, at_most: int | None = None
) -> int:
    """Return an integer within the bounds, both of them included.

    Raises ImproperlyConfigured for anything else.
    """
    raw = os.environ.get(name)
    if not raw:
        return default
    try:
        number = int(raw)
    except ValueError:
        raise _wrong(name, _whole_number_sentence(at_least, at_most), raw) from None
    if (at_least is not None and number < at_least) or (at_most is not None and number > at_most):
        raise _wrong(name, _whole_number_sentence(at_least, at_most), raw)
    return number


def flag(name: str, *, default: bool) -> bool:
    """Return True for 1, true, yes or on; False for 0, false, no or off."""
    raw = os.environ.get(name)
    if not raw:
        return default
    if raw.lower() in YES:
        return True
    if raw.lower() in NO:
        return False
    raise _wrong(name, "one of " + ", ".join((*YES, *NO)), raw)


def choice(name: str, *, default: str, among: tuple[str, ...]) -> str:
    """Return one of the listed words."""
    raw = os.environ.get(name) or default
    if raw not in among:
        raise _wrong(name, "one of " + ", ".join(among), raw)
    return raw


def words(name: str, *, default: tuple[str, ...]) -> list[str]:
    """Return a comma-separated list without its empty members."""
    raw = os.environ.get(name)
    if not raw:
        return list(default)
    return [word.strip() for word in raw.split(",") if word.strip()]


def path(name: str, *, default: Path) -> Path:
    """Return an absolute path; a relative one counts from the working directory."""
    raw = os.environ.get(name)
    return Path(raw).expanduser().absolute() if raw else default


def url(name: str, *, default: str, schemes: tuple[str, ...]) -> str:
    """Return a URL of one of the schemes. The message never repeats it: it may hold a password."""
    raw = os.environ.get(name)
    if not raw:
        return default
    scheme = urlsplit(raw).scheme
    if scheme not in schemes:
        raise _wrong(name, "a URL that starts with " + " or ".join(schemes), scheme + "://…")
    return raw


def given_or_kept(name: str, kept: str) -> str:
    """Return the variable, or set it to what an earlier start kept: opsconsole.toml may name it."""
    if kept and not os.environ.get(name):
        os.environ[name] = kept
    return os.environ.get(name, "")


def _whole_number_sentence(at_least: int | None, at_most: int | None) -> str:
    bounds = ""
    if at_least is not None:
        bounds += f", at least {at_least}"
    if at_most is not None:
        bounds += f", at most {at_most}"
    return "a whole number" + bounds


def _wrong(name: str, expected: str, got: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f'{name}: expected {expected}; got "{got}".')
