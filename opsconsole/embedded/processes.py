"""Starting and stopping one process in a group of its own that does not outlive us."""

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

from opsconsole.embedded.account import Account
from opsconsole.embedded.errors import CannotStart

type Popen = subprocess.Popen[bytes]

# Names the data directory in the environment of each process started on it, so that the next
# start recognises what outlived this one.
MARK = "OPSCONSOLE_SUPERVISED"
# Where setproctitle is installed, Celery and Granian give themselves titles with it; without this
# it writes them over the environment that others can see, and the mark is gone.
KEEPS_THE_MARK = {"SPT_NOENV": "1"}


def launch(
    command: list[str],
    *,
    log: Path,
    mark: Path,
    death_signal: str = "TERM",
    account: Account | None = None,
    environment: Mapping[str, str] | None = None,
) -> Popen:
    """Start a process in its own group, its output appended to the log.

    The kernel sends it `death_signal` when this process dies in any way, SIGKILL included. The
    kernel means the thread that started it: call this from the main thread only.
    """
    options = [] if account is None else account.prefix()
    setpriv = shutil.which("setpriv")
    prefix = [setpriv, f"--pdeathsig={death_signal}", *options, "--"] if setpriv else []
    with log.open("ab") as output:
        return subprocess.Popen(
            [*prefix, *command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**os.environ, **(environment or {}), **KEEPS_THE_MARK, MARK: str(mark)},
        )


def stop(process: Popen, *, first: signal.Signals, within_seconds: float) -> bool:
    """Ask the process to end, then kill its whole group. Returns whether it ended when asked."""
    ask_to_end(process, first)
    return ended(process, within_seconds=within_seconds)


def ask_to_end(process: Popen, number: signal.Signals) -> None:
    """Send the signal unless the process is over already."""
    if process.poll() is None:
        process.send_signal(number)


def ended(process: Popen, *, within_seconds: float) -> bool:
    """Wait for a process that was asked to end, then kill its whole group; whether it listened."""
    try:
        process.wait(timeout=within_seconds)
    except subprocess.TimeoutExpired:
        kill_group(process.pid)
        process.wait()
        return False
    kill_group(process.pid)
    return True


def kill_group(pid: int) -> None:
    """SIGKILL every process left in the group that `pid` leads or led."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def last_lines(log: Path, *, count: int = 12) -> str:
    """Return the end of a log, to show why something did not start."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return "\n".join(lines[-count:])


def did_not_start(name: str, log: Path) -> CannotStart:
    """Return the error for a process that ended, or stayed silent, while starting."""
    return CannotStart(f"{name} did not start. The end of {log}:\n{last_lines(log)}")
