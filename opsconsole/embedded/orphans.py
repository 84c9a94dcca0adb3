"""Servers and children that outlived a killed supervisor: found by record, ended when ours."""

import signal
from pathlib import Path

import psutil

from opsconsole.embedded.directory import DataDirectory
from opsconsole.embedded.errors import CannotStart

END_WITHIN_SECONDS = 15.0


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
    if process is None or not _serves(process, directory.postgres):
        record.unlink(missing_ok=True)
        return False
    _end(process, signals=(signal.SIGINT, signal.SIGQUIT))
    record.unlink(missing_ok=True)
    return True


def end_recorded(pid: int, *, started_at: float) -> bool:
    """End the process of this number if it is still the one that started then."""
    process = _living(pid)
    if process is None or abs(process.create_time() - started_at) > 1.0:
        return False
    _end(process, signals=(signal.SIGTERM, signal.SIGKILL))
    return True


def _recorded_pid(record: Path) -> int | None:
    try:
        return int(record.read_text(encoding="utf-8").splitlines()[0])
    except (FileNotFoundError, IndexError, ValueError):
        return None


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


def _end(process: psutil.Process, *, signals: tuple[signal.Signals, ...]) -> None:
    for number in signals:
        try:
            process.send_signal(number)
            process.wait(timeout=END_WITHIN_SECONDS)
        except psutil.NoSuchProcess:
            return
        except psutil.TimeoutExpired:
            continue
        else:
            return
    raise CannotStart(
        f"Process {process.pid} of an earlier start does not end. End it by hand, then start again."
    )
