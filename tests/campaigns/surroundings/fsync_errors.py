"""Campaign 11: the disk says that a write was lost. What was not acknowledged is not sent."""

import time

from tests.campaigns.harness.campaign import Campaign, Run, Tally
from tests.campaigns.surroundings.aftermath import SETTLED_WITHIN_SECONDS, heal, look_back
from tests.campaigns.surroundings.agents import Agents
from tests.campaigns.surroundings.failing_disk import NO_COMPILER
from tests.campaigns.surroundings.site import site_of
from tests.campaigns.surroundings.witness import Witness

FEWEST_BURSTS = 4
FAILS_WITHIN_SECONDS = 10.0


def run(run: Run) -> Tally:
    """Let fsync fail for a moment, again and again, while agents work."""
    slowest = 0.0
    with site_of(run) as site:
        disk = site.disk
        if disk is None:
            return Tally(points=0, not_run=NO_COMPILER)
        earlier = site.log("postgres").count("PANIC: ")
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
        panics = site.log("postgres").count("PANIC: ") - earlier
    work = {"bursts of errors": bursts, "failed syncs": disk.failures, "panics": panics}
    return after.tally(bursts, work, note=f"back {slowest:.1f} s after the disk was")


def _goes_on(run: Run) -> bool:
    return not run.is_slice and run.seconds_left() > SETTLED_WITHIN_SECONDS


CAMPAIGN = Campaign(
    name="fsync-errors",
    title="fsync that fails, for the log and for the data",
    share=0,
    needs_seconds=50,
    run=run,
    least={
        "bursts of errors": FEWEST_BURSTS,
        "panics": 2,
        "answers 503": 5,
        "acknowledged confirmations": 5,
    },
    least_in_slice={
        "bursts of errors": FEWEST_BURSTS,
        "panics": 1,
        "acknowledged confirmations": 1,
    },
)
