"""Long polls: a request waits for the next version without a transaction or a connection."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.conf import settings
from django.db import connection

from operations.models import Operation
from operations.protocol.refusals import RateLimited

FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 0.5
RETRY_SECONDS = 2


class Waiting:
    """At most `places` requests of this process wait at a time; the others are told to come back.

    A waiting request holds its thread, so the places must be fewer than the threads.
    """

    def __init__(self, *, places: int) -> None:
        self.places = places
        self._free = threading.BoundedSemaphore(places)

    def until_version_changes(self, operation_id: UUID, version: int, *, seconds: float) -> None:
        """Return once the version is another, or the time is over. Raises RateLimited when full."""
        ends_at = time.monotonic() + seconds
        pause = FIRST_PAUSE_SECONDS
        with self._place():
            while (left := ends_at - time.monotonic()) > 0:
                _free_connection()
                time.sleep(min(pause, left))
                pause = min(pause * 1.5, LONGEST_PAUSE_SECONDS)
                if _version(operation_id) != version:
                    return

    @contextmanager
    def _place(self) -> Iterator[None]:
        if not self._free.acquire(blocking=False):
            raise RateLimited(
                expected=f"{self.places} waiting requests",
                got="one more",
                retry_after_seconds=RETRY_SECONDS,
            )
        try:
            yield
        finally:
            self._free.release()


def _version(operation_id: UUID) -> int | None:
    return Operation.objects.filter(pk=operation_id).values_list("version", flat=True).first()


def _free_connection() -> None:
    """Give it back to the pool. Without a pool each thread has its own, idle and in autocommit."""
    if connection.pool and not connection.in_atomic_block:  # type: ignore[attr-defined]
        connection.close()


waiting = Waiting(places=max(1, settings.WEB_THREADS // 2))
