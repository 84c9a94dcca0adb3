"""Runs several calls at the same instant, each on a connection of its own."""

import threading
from collections.abc import Callable
from typing import Any

from django.db import connection


def together(*calls: Callable[[], Any]) -> list[Any]:
    """The result of each call, or the exception it raised, in the order given."""
    start = threading.Barrier(len(calls))
    results: list[Any] = [None] * len(calls)

    def run(place: int, call: Callable[[], Any]) -> None:
        try:
            start.wait(10)
            results[place] = call()
        except Exception as error:
            results[place] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=each) for each in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
