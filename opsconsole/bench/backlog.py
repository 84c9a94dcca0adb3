"""How fast real workers settle a backlog of unknown outcomes, beside look-ups alone.

The workers, the sweeper, the beat and the broker are those that `up` starts, as processes; the
receiver is one more. What is counted is counted by the database and by the receiver.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import psycopg

from opsconsole.bench.planted import plant_unknowns
from opsconsole.embedded import processes
from opsconsole.embedded.children import Plan, children
from opsconsole.embedded.ports import free_port

AT_ONCE = 64
PROCESSES = 2
WARM_UP = 200
LONGEST_SECONDS = 900

_LEFT = """
    SELECT count(*) FROM (
        SELECT 1 FROM operations_operation WHERE state = 'sent_unknown' AND key LIKE %s LIMIT 1
    ) AS any_of_them
"""


def settle_backlog(root: Path, database_url: str, *, count: int) -> Iterator[str]:
    """A table, line by line: settled a second, look-ups alone a second, ratio, and what it took."""
    with _receiver() as url, _workers(root, url) as pids:
        plant_unknowns(database_url, WARM_UP, prefix="warm-", due_in_seconds=0)
        _settled(database_url, "warm-")
        plant_unknowns(database_url, count, prefix="bench-", due_in_seconds=5)
        time.sleep(5)
        before = _memory(pids)
        began = time.perf_counter()
        _settled(database_url, "bench-")
        ours = count / (time.perf_counter() - began)
        grown = _memory(pids) - before
        with urlopen(f"{url}/most", timeout=5) as answer:  # noqa: S310  our own address
            most = int(answer.read())
    with _receiver() as url:
        floor = _alone(url, count=count)
    yield f"a backlog of {count:,} unknown outcomes; the receiver answers a lookup in 50 ms"
    yield f"{'settled/s':>9}  {'look-ups alone/s':>16}  {'ratio':>5}  {'most at once':>12}  memory"
    yield (
        f"{ours:>9.0f}  {floor:>16.0f}  {ours / floor:>5.2f}  {most:>12}  "
        f"{before / 2**20:.0f} MB, grown by {grown / 2**20:.0f}"
    )


def _settled(database_url: str, prefix: str) -> None:
    """Wait until none is left. Raises TimeoutError with what is."""
    ends_at = time.monotonic() + LONGEST_SECONDS
    with psycopg.connect(database_url, autocommit=True) as connection:
        while True:
            found = connection.execute(_LEFT, [f"{prefix}%"]).fetchone()
            assert found is not None
            if not found[0]:
                return
            if time.monotonic() > ends_at:
                words = f"some of {prefix}… are not settled after {LONGEST_SECONDS} s"
                raise TimeoutError(words)
            time.sleep(0.25)


@contextmanager
def _receiver() -> Iterator[str]:
    port = free_port(kept=0)
    command = [sys.executable, "-m", "opsconsole.bench.slow_receiver", str(port)]
    with subprocess.Popen(command) as process:
        try:
            url = f"http://127.0.0.1:{port}"
            _answers(url)
            yield url
        finally:
            process.terminate()


def _answers(url: str) -> None:
    for _ in range(100):
        try:
            urlopen(f"{url}/most", timeout=1).close()  # noqa: S310
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError(f"{url} does not answer")


@contextmanager
def _workers(root: Path, receiver_url: str) -> Iterator[Sequence[int]]:
    """The processes of a console that look up; their ids, the children of the worker too."""
    plan = Plan(
        root=root,
        account_name="nobody",
        bind_address="127.0.0.1",
        port=0,
        web_threads=1,
        worker_processes=PROCESSES,
        with_database=True,
        with_broker=True,
        with_demo=False,
    )
    started = [
        processes.launch(
            list(child.command),
            log=root / f"{child.name}.log",
            mark=root,
            environment={"SANDBOX_URL": receiver_url, **child.environment},
        )
        for child in children(plan, sandbox_port=0)
        if child.name != "web"
    ]
    try:
        time.sleep(3)
        yield [each.pid for each in started]
    finally:
        for process in reversed(started):
            processes.stop(process, first=signal.SIGTERM, within_seconds=10)


def _memory(pids: Sequence[int]) -> int:
    """Bytes that these processes and their children have in memory."""
    pages = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rsplit(")", 1)[1].split()[1])
            if parent in pids or int(path.parent.name) in pids:
                pages += int((path.parent / "statm").read_text().split()[1])
        except OSError:
            continue  # it has ended meanwhile
    return pages * os.sysconf("SC_PAGE_SIZE")


def _alone(url: str, *, count: int) -> float:
    """Look-ups a second through the product's own connector, and nothing else."""
    each = count // PROCESSES
    command = [
        sys.executable,
        "-m",
        "opsconsole.bench.lookups_alone",
        url,
        str(AT_ONCE // PROCESSES),
    ]
    began = time.perf_counter()
    started = [subprocess.Popen([*command, str(each)]) for _ in range(PROCESSES)]
    for process in started:
        if process.wait(timeout=LONGEST_SECONDS):
            raise RuntimeError("look-ups alone failed")
    return each * PROCESSES / (time.perf_counter() - began)
