"""Acting as the owner of the tables for the length of a migration."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import connection


@contextmanager
def as_owner() -> Iterator[None]:
    """Point the default connection at DATABASE_OWNER_URL, and back at the end.

    Without one, the only role there is does it all. For commands only: it changes this process's
    connection, not one request's.
    """
    if settings.DATABASE_OWNER is None:
        yield
        return
    runtime = dict(connection.settings_dict)
    _point_at(settings.DATABASE_OWNER)
    try:
        yield
    finally:
        _point_at(runtime)


def _point_at(target: dict[str, object]) -> None:
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined] # PostgreSQL's wrapper has it
    connection.settings_dict.update(target)
