"""Writing down what is already known, when the database is away for a moment."""

import time
from collections.abc import Callable

from django.db import InterfaceError, OperationalError, connection

PAUSES_SECONDS = (0.1, 0.3, 1.0, 3.0, 5.0)


def patiently[T](record: Callable[[], T]) -> T:
    """What `record` returns, tried again on a fresh connection while the database is away.

    For records of what has happened, which are the same however often they are tried; never for
    a mark and never for a call. After about ten seconds the last error is raised.
    """
    for pause_seconds in PAUSES_SECONDS:
        try:
            return record()
        except (OperationalError, InterfaceError):
            connection.close()
            time.sleep(pause_seconds)
    return record()
