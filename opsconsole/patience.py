"""A connection that gives up a server which takes a question and never answers it.

A server that is stopped, or whose disk hangs, keeps none of its own time limits, and its kernel
goes on acknowledging what it is sent: on a socket of this machine nothing else would ever end the
waiting, and every web thread would stand still with it.
"""

from typing import Any

import psycopg
from psycopg.abc import PQGen
from psycopg.pq import TransactionStatus

# Beyond every statement_timeout (20 s): a server in order has answered or refused by then.
ANSWERS_WITHIN_SECONDS = 25.0


class PatientConnection(psycopg.Connection[Any]):
    """Closes itself when an answer takes too long. Raises psycopg.OperationalError then.

    What had been asked may have been done: a COMMIT without an answer is one that nobody knows of.
    """

    answers_within_seconds = ANSWERS_WITHIN_SECONDS

    def wait[RV](self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        """Wait for the server, no longer than `timeout` or `answers_within_seconds`."""
        limit_seconds = self.answers_within_seconds if timeout is None else timeout
        try:
            return super().wait(gen, interval=interval, timeout=limit_seconds)
        except psycopg.OperationalError as error:
            if self.pgconn.transaction_status != TransactionStatus.ACTIVE:
                raise  # the server's own refusal, or the end of the connection
            self.close()
            raise psycopg.OperationalError(
                f"expected an answer of the database within {limit_seconds:g} s, got none"
            ) from error
