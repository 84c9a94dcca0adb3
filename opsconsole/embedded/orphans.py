"""What outlived a killed supervisor: found by our mark in its environment, and ended."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from opsconsole.embedded.directory import DataDirectory
from opsconsole.embedded.errors import CannotStart
from opsconsole.embedded.processes import MARK

END_WITHIN_SECONDS = 10.0


def end_orphans(directory: DataDirectory) -> int:
    """End the processes of an earlier start on this data. Returns how many there were.

    Call while holding the lock: then no living supervisor owns any of them. PostgreSQL is left to
    `end_orphan_postgres`, because it wants its own signal.
    """
    found = list(_marked(str(directory.root)))
    for number in (signal.SIGTERM, signal.SIGKILL):
        for process in found:
            _signal(process, number)
        if _have_ended(found):
            break
    return len(found)


def end_orphan_postgres(directory: DataDirectory) -> bool:
    """End a PostgreSQL that still serves our data and clear what would block the next start.

    Returns whether one was running. A recorded pid that now belongs to another program, or to a
    process that ended without being reaped, is no reason for PostgreSQL to refuse: the file goes.
    """
    record = directory.postgres / "postmaster.pid"
    pid = _recorded_pid(record)
    if pid is None:
        return False
    process = _living(pid)
    is_ours = process is not None and _serves(process, directory.postgres)
    if process is not None and is_ours:
        _end_postgres(process)
    record.unlink(missing_ok=True)
    return is_ours


def _marked(root: str) -> Iterator[psutil.Process]:
    for process in psutil.process_iter():
        try:
            mark = process.environ().get(MARK)
            is_server = process.name() == "postgres"
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
        if mark == root and process.pid != os.getpid() and not is_server:
            yield process


def _recorded_pid(record: Path) -> int | None:
    try:
        return int(record.read_text(encoding="utf-8").splitlines()[0])
    except (FileNotFoundError, IndexError, ValueError):
        return None


def _have_ended(found: list[psutil.Process]) -> bool:
    # Not psutil.wait_procs: it waits for ever for a process that ended and that nobody reaps.
    until = time.monotonic() + END_WITHIN_SECONDS
    while any(_living(process.pid) == process for process in found):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def _living(pid: int) -> psutil.Process | None:
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else process
    except psutil.NoSuchProcess:
        return None


def _serves(process: psutil.Process, folder: Path) -> bool:
    try:
        command = process.cmdline()
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return False
    return bool(command) and Path(command[0]).name == "postgres" and str(folder) in command


def _end_postgres(process: psutil.Process) -> None:
    # Fast shutdown, then immediate: the second one recovers from the log at the next start.
    for number in (signal.SIGINT, signal.SIGQUIT):
        _signal(process, number)
        if _have_ended([process]):
            return
    raise CannotStart(
        f"PostgreSQL process {process.pid} of an earlier start does not end. End it by hand, then "
        "start again."
    )


def _signal(process: psutil.Process, number: signal.Signals) -> None:
    try:
        process.send_signal(number)
    except psutil.NoSuchProcess:
        return
