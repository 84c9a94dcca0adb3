"""Campaign 11: no space left, for the data and for the write-ahead log, each on a small disk."""

import errno
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psycopg

from opsconsole.embedded.directory import DataDirectory
from tests.campaigns.harness.campaign import Campaign, Run, Tally
from tests.campaigns.surroundings.aftermath import SETTLED_WITHIN_SECONDS, heal, look_back
from tests.campaigns.surroundings.agents import Agents
from tests.campaigns.surroundings.own_mounts import mount_small, run_in_own_mounts
from tests.campaigns.surroundings.site import Site, running_site
from tests.campaigns.surroundings.witness import AWAY, Witness

# The prepared data need some 40 MB, the log two to five segments of 16 MB.
DATA_MEGABYTES, WAL_MEGABYTES = 128, 112
FULL_SECONDS_IN_SLICE, FULL_SECONDS = 2.0, 6.0
NOTICED_WITHIN_SECONDS = 25.0


def run(run: Run) -> Tally:
    """In a process that may mount."""
    return run_in_own_mounts(run, __name__)


def run_inside(run: Run) -> Tally:
    """Fill one disk, then the other, under load; free it, and look whether all goes on."""
    with running_site(run.directory, prepare=_mount) as site:
        agents = Agents(site, Witness(), seed=run.seed, prefix="disk")
        disk = Disk(run, agents)
        data, wal = site.directory.postgres, site.directory.postgres / "pg_wal"
        with agents:
            while not disk.data_fills or (not run.is_slice and _has_time(run)):
                disk.fill(data, until=lambda: None)
                disk.data_fills += 1
                disk.fill(wal, until=lambda: _use_up_segments(site))
                disk.wal_fills += 1
        after = look_back(agents, settled_in=heal(agents))
        refused = site.log("postgres").count("No space left on device")
    work = {
        "writes that found no space": refused,
        "fills of the data": disk.data_fills,
        "fills of the log": disk.wal_fills,
        "noticed fills": disk.noticed,
    }
    points = disk.data_fills + disk.wal_fills
    return after.tally(points, work, note=f"back {disk.slowest_return:.1f} s after space was")


class Disk:
    """Fills and frees the two small disks."""

    def __init__(self, run: Run, agents: Agents) -> None:
        self.run, self.agents, self.site = run, agents, agents.site
        self.data_fills = self.wal_fills = self.noticed = 0
        self.slowest_return = 0.0

    def fill(self, place: Path, *, until: Callable[[], None]) -> None:
        """Take all space until an agent met a 503, and a little longer; then give it back."""
        self.site.pause(self.run.random.uniform(0.5, 1.5))
        statuses = self.agents.witness.statuses
        before = statuses[AWAY]
        ballast = place / "ballast"
        fill_up(ballast)
        noticed_until = time.monotonic() + NOTICED_WITHIN_SECONDS
        while statuses[AWAY] == before and time.monotonic() < noticed_until:
            until()
            fill_up(ballast)
            self.site.pause(0.1)
        self.noticed += statuses[AWAY] > before
        self.site.pause(FULL_SECONDS_IN_SLICE if self.run.is_slice else FULL_SECONDS)
        ballast.unlink()
        freed_at = time.monotonic()
        self.site.wait_until_ready()
        self.slowest_return = max(self.slowest_return, time.monotonic() - freed_at)


def fill_up(ballast: Path) -> None:
    """Let the file take what is left on its disk."""
    with ballast.open("ab") as file:
        for size in (1 << 20, 1 << 12, 1):
            with suppress(OSError):
                while True:
                    _write(file.fileno(), size)


def _write(descriptor: int, size: int) -> None:
    if os.write(descriptor, bytes(size)) < size:
        raise OSError(errno.ENOSPC, "a part was written")


def _use_up_segments(site: Site) -> None:
    """Begin segment after segment, until a new one would have to be made."""
    with suppress(psycopg.Error), site.superuser() as connection:
        connection.execute("SELECT pg_switch_wal()")
        connection.execute("SELECT pg_logical_emit_message(true, 'campaign', repeat('x', 100000))")


def _mount(directory: DataDirectory) -> None:
    mount_small(directory.postgres, megabytes=DATA_MEGABYTES)
    mount_small(directory.postgres / "pg_wal", megabytes=WAL_MEGABYTES)


def _has_time(run: Run) -> bool:
    return run.seconds_left() > SETTLED_WITHIN_SECONDS + 30


CAMPAIGN = Campaign(
    name="disk-full",
    title="No space left for the data and for the log",
    share=0,
    needs_seconds=60,
    run=run,
    least={
        "fills of the data": 1,
        "fills of the log": 1,
        "noticed fills": 2,
        "writes that found no space": 5,
        "answers 503": 10,
        "acknowledged confirmations": 5,
    },
    least_in_slice={
        "fills of the data": 1,
        "fills of the log": 1,
        "noticed fills": 2,
        "writes that found no space": 2,
        "acknowledged confirmations": 1,
    },
)
