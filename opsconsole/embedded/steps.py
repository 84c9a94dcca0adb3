"""What runs once before the children: commands of their own, so that they read fresh settings."""

import sys
from collections.abc import Mapping
from signal import SIGTERM

from opsconsole.embedded import processes
from opsconsole.embedded.directory import DataDirectory
from opsconsole.embedded.errors import CannotStart

STOP_WITHIN_SECONDS = 5.0


def run_together(
    directory: DataDirectory, *commands: tuple[str, ...], environment: Mapping[str, str]
) -> None:
    """Run manage.py commands side by side. Raises CannotStart with the output of one that fails."""
    running = [(each[0], _start(directory, each, environment)) for each in commands]
    try:
        failed = [name for name, process in running if process.wait() != 0]
    finally:  # a signal may come while they run; the database must outlive them
        for _, process in running:
            processes.stop(process, first=SIGTERM, within_seconds=STOP_WITHIN_SECONDS)
    if failed:
        log = directory.log(failed[0])
        raise CannotStart(
            f"`manage.py {failed[0]}` failed. The end of {log}:\n{processes.last_lines(log)}"
        )


def _start(
    directory: DataDirectory, command: tuple[str, ...], environment: Mapping[str, str]
) -> processes.Popen:
    return processes.launch(
        [sys.executable, "manage.py", *command],
        log=directory.log(command[0]),
        mark=directory.root,
        environment=environment,
    )
