"""One supervisor a data directory: a lock that the kernel drops when its holder dies."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from opsconsole.embedded.directory import DataDirectory
from opsconsole.embedded.errors import CannotStart


@contextmanager
def only_one(root: Path) -> Iterator[None]:
    """Hold the lock of this data directory, or raise CannotStart naming who holds it."""
    directory = DataDirectory(root)
    directory.prepare()
    with (directory.run / "supervisor.lock").open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise CannotStart(
                f"opsconsole is already running on {root} as process {file.read().strip()}. "
                "Stop it first, or set OPSCONSOLE_DATA to another folder."
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield
