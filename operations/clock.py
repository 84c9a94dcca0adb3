"""The one clock: the database's. Ask it only once the row is locked."""

from datetime import datetime

from django.db import connection


def now() -> datetime:
    """PostgreSQL's clock_timestamp(), which moves on inside a transaction (now() does not)."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        row = cursor.fetchone()
    assert row is not None
    return row[0]
