"""Doing things at the same time, each on a database connection of its own."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier

from django.db import connection


def at_once[T](*acts: Callable[[], T]) -> list[T]:
    """Start all of them at the same moment; what each returned, in their order."""
    start = Barrier(len(acts))

    def begin(act: Callable[[], T]) -> T:
        start.wait(timeout=10)
        return _and_disconnect(act)

    with ThreadPoolExecutor(len(acts)) as pool:
        return [future.result(timeout=100) for future in [pool.submit(begin, a) for a in acts]]


@contextmanager
def meanwhile[T](act: Callable[[], T]) -> Iterator["Future[T]"]:
    """Let `act` run beside the block, which ends when both have ended."""
    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(_and_disconnect, act)


def _and_disconnect[T](act: Callable[[], T]) -> T:
    try:
        return act()
    finally:
        connection.close()
