"""Campaign 11: the disk says that a write was lost. What was not acknowledged is not sent."""

import shutil
import subprocess
import time
from pathlib import Path

from opsconsole.embedded.account import servers_account
from opsconsole.embedded.postgres import give
from tests.campaigns.harness.campaign import Campaign, Run, Tally
from tests.campaigns.surroundings.aftermath import SETTLED_WITHIN_SECONDS, heal, look_back
from tests.campaigns.surroundings.agents import Agents
from tests.campaigns.surroundings.site import running_site
from tests.campaigns.surroundings.witness import Witness

SOURCE = Path(__file__).with_name("failing_fsync.c")
FEWEST_BURSTS = 4
FAILS_WITHIN_SECONDS = 10.0


def run(run: Run) -> Tally:
    """Let fsync fail for a moment, again and again, while agents work."""
    compiler = shutil.which("cc")
    if compiler is None:
        return Tally(
            points=0, not_run="to make fsync fail takes a C compiler, cc: none is here"
        )
    disk = Disk(run.directory / "disk", compiler)
    slowest = 0.0
    with running_site(
        run.directory, servers_environment=disk.environment(), keeps_postgres=True
    ) as site:
        agents = Agents(site, Witness(), seed=run.seed, prefix="fsync")
        bursts = 0
        with agents:
            while bursts < FEWEST_BURSTS or _goes_on(run):
                site.pause(run.random.uniform(0.3, 1.5))
                before, until = disk.failures, time.monotonic() + FAILS_WITHIN_SECONDS
                disk.breaks()
                while disk.failures == before and time.monotonic() < until:
                    site.pause(0.02)
                site.pause(run.random.choice((0, 0, 0.2, 1)))
                disk.works()
                bursts += disk.failures > before
                mended_at = time.monotonic()
                site.wait_until_ready()
                slowest = max(slowest, time.monotonic() - mended_at)
        after = look_back(agents, settled_in=heal(agents))
        panics = site.log("postgres").count("PANIC: ")
    work = {"bursts of errors": bursts, "failed syncs": disk.failures, "panics": panics}
    return after.tally(bursts, work, note=f"back {slowest:.1f} s after the disk was")


class Disk:
    """Decides, through a file, whether PostgreSQL's syncs reach the disk."""

    def __init__(self, folder: Path, compiler: str) -> None:
        folder.mkdir(mode=0o711)
        self._folder = folder
        self._shim = folder / "failing_fsync.so"
        command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(self._shim), str(SOURCE), "-ldl"]
        subprocess.run(command, check=True)
        self._control = folder / "broken"
        self._count = folder / "failures"
        self._count.touch(mode=0o600)
        give(self._count, servers_account("nobody", must_reach=[folder]))

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
        self._control.unlink()

    @property
    def failures(self) -> int:
        """How many failed so far."""
        return self._count.stat().st_size


def _goes_on(run: Run) -> bool:
    return not run.is_slice and run.seconds_left() > SETTLED_WITHIN_SECONDS


CAMPAIGN = Campaign(
    name="fsync-errors",
    title="fsync that fails, for the log and for the data",
    share=1,
    run=run,
    least={"bursts of errors": 5, "panics": 5, "answers 503": 20, "confirmed": 20},
    least_in_slice={"bursts of errors": FEWEST_BURSTS, "panics": 1, "confirmed": 3},
)
