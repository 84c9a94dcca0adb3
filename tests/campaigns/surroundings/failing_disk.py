"""A disk whose fsync can be made to fail, under PostgreSQL alone."""

import shutil
import subprocess
from pathlib import Path
from typing import Self

from opsconsole.embedded.account import servers_account
from opsconsole.embedded.postgres import give

SOURCE = Path(__file__).with_name("failing_fsync.c")
NO_COMPILER = "to make fsync fail takes a C compiler, cc: none is here"


class FailingDisk:
    """Decides, through a file, whether PostgreSQL's syncs reach the disk."""

    def __init__(self, folder: Path, compiler: str) -> None:
        folder.mkdir(mode=0o711)
        self._shim = folder / "failing_fsync.so"
        command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(self._shim), str(SOURCE), "-ldl"]
        subprocess.run(command, check=True)
        self._control = folder / "broken"
        self._count = folder / "failures"
        self._count.touch(mode=0o600)
        give(self._count, servers_account("nobody", must_reach=[folder]))

    @classmethod
    def made_in(cls, folder: Path) -> Self | None:
        """One in this folder; None where there is no compiler."""
        compiler = shutil.which("cc")
        return None if compiler is None else cls(folder / "disk", compiler)

    def environment(self) -> dict[str, str]:
        """What PostgreSQL is started with."""
        return {
            "LD_PRELOAD": str(self._shim),
            "FSYNC_FAILS_WHILE": str(self._control),
            "FSYNC_FAILURES": str(self._count),
        }

    def breaks(self) -> None:
        """From now on each sync fails."""
        self._control.touch()

    def works(self) -> None:
        """From now on none does."""
        self._control.unlink(missing_ok=True)

    @property
    def failures(self) -> int:
        """How many failed so far."""
        return self._count.stat().st_size
