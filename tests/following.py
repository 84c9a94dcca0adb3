"""Processes that do not outlive the test run, even one that was killed."""

import shutil
from collections.abc import Sequence


def following(command: Sequence[str]) -> list[str]:
    """The command so that the kernel ends its process with the thread that starts it.

    A killed run, and a worker of one that was interrupted, reach no fixture's end.
    """
    setpriv = shutil.which("setpriv")
    return [*([setpriv, "--pdeathsig=TERM", "--"] if setpriv else []), *command]
