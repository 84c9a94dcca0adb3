"""One at a time says what is proposed for a statement, or compares it anew."""

from django.db import connection

LOCK = 7004


def lock_statement(statement_id: int) -> None:
    """Held to the end of the transaction.

    Nobody has a right to change a statement's row, so nobody has one to lock it.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [LOCK, statement_id % 2**31])
