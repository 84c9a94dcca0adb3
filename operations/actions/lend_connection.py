"""Letting go of the database while the outside world takes its time (rule 9)."""

from django.db import connection


def lend_connection() -> None:
    """Give the connection back to the pool, where there is one, for others to use meanwhile.

    Call it outside any transaction, before a call that may take seconds. The next query takes a
    connection again. Without a pool it is this thread's own, and kept.
    """
    has_pool = connection.settings_dict["OPTIONS"].get("pool")
    if has_pool and not connection.in_atomic_block:
        connection.close()
