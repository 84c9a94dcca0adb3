"""One supervisor a data directory: a lock that the kernel drops when its holder dies."""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from opsconsole.embedded.directory import DataDirectory
from opsconsole.embedded.errors import CannotStart

STOPPING = "stopping"
# Longer than all children may take to end together.
WAIT_FOR_STOPPING_SECONDS = 75.0


@contextmanager
def only_one(root: Path) -> Iterator[Callable[[], None]]:
    """Hold the lock of this data directory, or raise CannotStart naming who holds it.

    Yields what to call when stopping begins: a start that meets a stopping one waits for it.
    """
    directory = DataDirectory(root)
    directory.prepare()
    with (directory.run / "supervisor.lock").open("a+", encoding="utf-8") as file:
        _acquire(file, root)
        _write(file, str(os.getpid()))
        yield lambda: _write(file, f"{os.getpid()} {STOPPING}")


def _acquire(file: TextIO, root: Path) -> None:
    until = time.monotonic() + WAIT_FOR_STOPPING_SECONDS
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            pid, _, state = file.read().strip().partition(" ")
            if state != STOPPING or time.monotonic() > until:
                raise CannotStart(
                    f"opsconsole is already running on {root}, as process {pid}. "
                    "Stop it first, or set OPSCONSOLE_DATA to another folder."
                ) from None
            time.sleep(0.2)
        else:
            return


def _write(file: TextIO, text: str) -> None:
    file.truncate(0)
    file.write(text)
    file.flush()
