"""Runs campaigns two at a time, each in a process with servers of its own.

Most of a campaign is waiting for servers, leases and deadlines, so that a lane for each core gives
both something to do. A campaign of one long list is cut into parts.
"""

import json
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tests.campaigns.harness.campaign import Campaign, Tally
from tests.campaigns.harness.children import end_with_parent
from tests.campaigns.results import Result, tally_of, together
from tests.campaigns.running import Wish, say

LANES = 2
# Beyond its time and whatever list it has to finish.
LONGEST_SECONDS = 3600
# Of a process that told no result, so many of its last lines are shown.
LAST_LINES = 30
PROJECT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Job:
    """One campaign, or one part of it."""

    campaign: Campaign
    part: tuple[int, int]

    @property
    def share(self) -> float:
        """Its weight in what is left when each has what it needs."""
        return self.campaign.share / self.part[1]

    @property
    def needs_seconds(self) -> float:
        """What its part of the least work takes."""
        return self.campaign.needs_seconds / self.part[1]

    def __str__(self) -> str:
        number, parts = self.part
        return self.campaign.name if parts == 1 else f"{self.campaign.name} {number}/{parts}"


@dataclass(slots=True, kw_only=True)
class Budget:
    """The time of all lanes together: a job gets what it needs, even where that is more than there
    is, and its weight's part of what is left when all that wait have what they need.
    """

    ends_at: float
    waiting: list[Job]
    lane_ends_at: dict[Job, float] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, job: Job) -> float:
        """The seconds of a job that begins now."""
        with self.lock:
            now = time.monotonic()
            left = max(0.0, self.ends_at - now)
            seconds = max(job.needs_seconds, min(left, self.estimate(job)))
            self.waiting.remove(job)
            self.lane_ends_at[job] = now + seconds
            return seconds

    def estimate(self, job: Job) -> float:
        """What it needs, and its part of the time that nobody needs."""
        now = time.monotonic()
        taken = sum(max(0.0, min(end, self.ends_at) - now) for end in self.lane_ends_at.values())
        needed = sum(each.needs_seconds for each in self.waiting)
        spare = max(0.0, self.ends_at - now) * LANES - taken - needed
        weight = sum(each.share for each in self.waiting) or 1.0
        return job.needs_seconds + max(0.0, spare) * job.share / weight

    def give_back(self, job: Job) -> None:
        """The job is over."""
        with self.lock:
            del self.lane_ends_at[job]


def run_in_lanes(chosen: Sequence[Campaign], wish: Wish) -> list[Result]:
    """Run them all, and say line by line what each says. Results in the order of `chosen`."""
    jobs = [
        Job(campaign=campaign, part=(number + 1, campaign.parts))
        for campaign in chosen
        for number in range(campaign.parts)
    ]
    budget = Budget(ends_at=time.monotonic() + wish.budget_seconds, waiting=list(jobs))
    # The longest first, so that both lanes end together.
    jobs.sort(key=budget.estimate, reverse=True)
    with (
        tempfile.TemporaryDirectory(prefix="campaigns-") as directory,
        ThreadPoolExecutor(LANES) as lanes,
    ):
        paths = {job: Path(directory) / f"{number}.json" for number, job in enumerate(jobs)}
        under_way: set[subprocess.Popen[str]] = set()
        running = [lanes.submit(_run_job, job, budget, wish, paths[job], under_way) for job in jobs]
        try:
            ran = dict(zip(jobs, [each.result() for each in running], strict=True))
        except BaseException:  # Ctrl-C or SIGTERM: nothing goes on alone
            lanes.shutdown(wait=False, cancel_futures=True)
            for process in set(under_way):
                process.terminate()
            raise
    results = [_result(campaign, wish, ran) for campaign in chosen]
    for result in results:
        for failure in result.failures:
            say(f"{result.campaign.name}: FAILED: {failure}")
    return results


def _run_job(
    job: Job, budget: Budget, wish: Wish, told: Path, under_way: set[subprocess.Popen[str]]
) -> tuple[Tally, float]:
    started = time.monotonic()
    seconds = budget.take(job)
    say(f"{job}: {job.campaign.title} (at most about {seconds:.0f} s)")
    number, parts = job.part
    command = [sys.executable, "-m", "tests.campaigns", job.campaign.name, "--here"]
    command += ["--budget", f"{seconds:.0f}s", "--seed", str(wish.seed)]
    command += ["--part", f"{number}/{parts}", "--focus", wish.focus, "--json", str(told)]
    try:
        code, last_lines = _follow(job, command, under_way)
    finally:
        budget.give_back(job)
    took = time.monotonic() - started
    if not told.exists() or not told.stat().st_size:
        words = "\n".join([f"its process ended with {code} and told nothing:", *last_lines])
        return Tally(points=0, violations=(words,)), took
    return tally_of(json.loads(told.read_text())[0]), took


def _follow(
    job: Job, command: Sequence[str], under_way: set[subprocess.Popen[str]]
) -> tuple[int, Sequence[str]]:
    """Say each line of it, with its name; its exit code and its last lines.

    It does not outlive this process.
    """
    process = subprocess.Popen(
        command,
        cwd=PROJECT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=partial(end_with_parent, signal.SIGTERM),
    )
    under_way.add(process)
    lines: deque[str] = deque(maxlen=LAST_LINES)
    assert process.stdout is not None
    late = threading.Timer(LONGEST_SECONDS, process.kill)
    late.start()
    try:
        for line in process.stdout:
            lines.append(line.rstrip())
            if line.startswith("  "):
                say(f"  {job}: {line.strip()}")
        return process.wait(), lines
    finally:
        under_way.discard(process)
        late.cancel()


def _result(campaign: Campaign, wish: Wish, ran: dict[Job, tuple[Tally, float]]) -> Result:
    mine = [told for job, told in ran.items() if job.campaign is campaign]
    tally = together([tally for tally, _ in mine])
    return Result(
        campaign=campaign,
        tally=tally,
        failures=campaign.failures(tally, is_narrowed=bool(wish.focus)),
        seed=wish.seed,
        seconds=max(seconds for _, seconds in mine),
    )
