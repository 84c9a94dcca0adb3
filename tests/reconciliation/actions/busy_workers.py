"""Threads of one process, with a pool of database connections, that dispatch all at once.

    python -m tests.reconciliation.actions.busy_workers OPERATION_ID…

Prints one line of JSON: how far each came, and the limit on idle transactions afterwards.
"""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID


def main(ids: list[UUID]) -> None:
    """A thread for each of these operations."""
    import django

    django.setup()
    from django.db import connection

    from operations.actions.dispatch_operation import dispatch_operation

    def dispatch(operation_id: UUID) -> str:
        try:
            return str(dispatch_operation(operation_id=operation_id, holder="thread"))
        finally:
            connection.close()

    with ThreadPoolExecutor(len(ids)) as pool:
        outcomes = sorted(pool.map(dispatch, ids))
    with connection.cursor() as cursor:
        cursor.execute("SHOW idle_in_transaction_session_timeout")
        (limit,) = cursor.fetchone()
    connection.close_pool()
    sys.stdout.write(json.dumps({"outcomes": outcomes, "limit": limit}) + "\n")


if __name__ == "__main__":
    main([UUID(each) for each in sys.argv[1:]])
