"""Django's SECRET_KEY: given, or made once and kept in the data directory."""

import os
import secrets
from pathlib import Path

from opsconsole.embedded.directory import DataDirectory


def secret_key(directory: DataDirectory) -> str:
    """Return SECRET_KEY of the environment, else the kept key, made at the first call."""
    given = os.environ.get("SECRET_KEY")
    if given:
        return given
    place = directory.root / "secret_key"
    directory.prepare()
    return _read(place) or _make(place)


def _read(place: Path) -> str:
    try:
        return place.read_text(encoding="ascii")
    except FileNotFoundError:
        return ""


def _make(place: Path) -> str:
    # A link appears whole or not at all, so two processes that start together agree on one key.
    fresh = place.with_name(f"secret_key.{secrets.token_hex(8)}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(48))
    try:
        os.link(fresh, place)
    except FileExistsError:
        pass
    finally:
        fresh.unlink()
    return _read(place)
