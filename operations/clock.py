"""The one clock: the database's. Ask it only once the row is locked."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime, timedelta

from django.db import connection

_ago = ContextVar("_ago", default=timedelta(0))


def now() -> datetime:
    """PostgreSQL's clock_timestamp(), which moves on inside a transaction (now() does not)."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        row = cursor.fetchone()
    assert row is not None
    at: datetime = row[0]
    return at - _ago.get()


def ago_seconds() -> float:
    """How far in the past this context lives; 0 everywhere but while history is seeded."""
    return _ago.get().total_seconds()


@contextmanager
def in_the_past(by: timedelta) -> Iterator[None]:
    """Let the demo's seed act as if it were `by` earlier. No request or task ever does."""
    token = _ago.set(by)
    try:
        yield
    finally:
        _ago.reset(token)
