"""Runs the product and its floor in turn, so that both meet the same noise."""

import statistics
import threading
import time
from collections.abc import Callable, Iterator

from opsconsole.bench.bare_sql import BareLifecycle
from opsconsole.bench.lifecycle import Lifecycle

type Worker = Callable[[Callable[[], bool]], int]


def compare(
    product: Lifecycle,
    database_url: str,
    threads: tuple[int, ...],
    *,
    seconds: float,
    rounds: int,
) -> Iterator[str]:
    """A table, line by line: threads, operations a second of both, and their ratio."""
    floor = BareLifecycle(database_url)
    _rate(product.work, 1, 1.0)  # plans, imports and caches are warm on both sides
    _rate(floor.work, 1, 1.0)
    yield "register, claim, mark, confirm with a receipt: 4 durable commits an operation"
    yield f"{'threads':>7}  {'opsconsole/s':>12}  {'bare SQL/s':>10}  {'ratio':>5}"
    for count in threads:
        pairs = [
            (_rate(product.work, count, seconds), _rate(floor.work, count, seconds))
            for _ in range(rounds)
        ]
        ratio = statistics.median(ours / bare for ours, bare in pairs)
        ours = statistics.median(pair[0] for pair in pairs)
        bare = statistics.median(pair[1] for pair in pairs)
        yield f"{count:>7}  {ours:>12.0f}  {bare:>10.0f}  {ratio:>5.2f}"


def _rate(work: Worker, count: int, seconds: float) -> float:
    """Operations a second that `count` threads finish, each until the time is over."""
    over = threading.Event()
    done: list[int] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work(over.is_set))
        except BaseException as error:
            failures.append(error)
            raise

    workers = [threading.Thread(target=run) for _ in range(count)]
    began = time.perf_counter()
    for worker in workers:
        worker.start()
    over.wait(seconds)
    over.set()
    for worker in workers:
        worker.join()
    if failures:
        raise failures[0]
    return sum(done) / (time.perf_counter() - began)
