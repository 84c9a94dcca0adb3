"""Runs campaigns one after the other, within a budget, and prints the table."""

import json
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.campaigns.catalogue import campaigns
from tests.campaigns.harness.campaign import Campaign, Run, Tally
from tests.campaigns.harness.rig import Rig, rig

COLUMNS = ("campaign", "points", "duplicates", "lost", "stuck", "seed", "seconds", "verdict")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One line of the table."""

    campaign: Campaign
    tally: Tally
    failures: list[str]
    seed: int
    seconds: float

    @property
    def verdict(self) -> str:
        """`held`, `FAILED`, or that it could not be run here, which is not the same as held."""
        if self.tally.not_run:
            return "not run"
        return "FAILED" if self.failures else "held"


class SharedRig:
    """Starts the rig when the first campaign asks for it, and empties it for each."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._rig: Rig | None = None

    def __call__(self) -> Rig:
        if self._rig is None:
            self._rig = self._stack.enter_context(rig())
        self._rig.empty()
        return self._rig


def run_all(
    *,
    names: Sequence[str],
    budget_seconds: float,
    seed: int,
    is_slice: bool,
    focus: str,
    json_path: str | None,
) -> int:
    """Run the named campaigns, or all; 0 when each held, 1 when one failed, 2 for a wrong name.

    The budget is shared by their weights; what one leaves over goes to those that follow.
    """
    all_of_them = campaigns()
    known = [campaign.name for campaign in all_of_them]
    wrong = [name for name in names if name not in known]
    if wrong:
        say(f"expected names of campaigns ({', '.join(known)}), got {', '.join(wrong)}")
        return 2
    chosen = [campaign for campaign in all_of_them if not names or campaign.name in names]
    say(f"seed {seed}; repeat with SEED={seed}")
    results = []
    ends_at = time.monotonic() + budget_seconds
    with ExitStack() as stack:
        shared = SharedRig(stack)
        for number, campaign in enumerate(chosen):
            weight = sum(each.share for each in chosen[number:])
            seconds = max(0.0, ends_at - time.monotonic()) * campaign.share / weight
            if is_slice:
                seconds = campaign.slice_seconds
            say(f"\n{campaign.name}: {campaign.title} (at most about {seconds:.0f} s)")
            results.append(
                _run_one(
                    campaign,
                    shared,
                    seed=seed,
                    seconds=seconds,
                    is_slice=is_slice,
                    focus=focus,
                )
            )
    say("\n" + table(results))
    if json_path:
        Path(json_path).write_text(json.dumps([_as_json(result) for result in results], indent=1))
    return 1 if any(result.failures for result in results) else 0


def _run_one(
    campaign: Campaign, shared: SharedRig, *, seed: int, seconds: float, is_slice: bool, focus: str
) -> Result:
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="campaign-") as directory:
        run = Run(
            seed=seed,
            seconds=seconds,
            directory=Path(directory),
            is_slice=is_slice,
            focus=focus,
            get_rig=shared,
            say=lambda text: say(f"  {text}"),
        )
        try:
            tally = campaign.run(run)
        except Exception:
            say(traceback.format_exc())
            tally = Tally(points=0, violations=("it ended with an exception, told above",))
    failures = campaign.failures(tally, is_slice=is_slice, is_narrowed=bool(focus))
    for failure in failures:
        say(f"  FAILED: {failure}")
    if tally.not_run:
        say(f"  not run: {tally.not_run}")
    work = ", ".join(f"{count} {what}" for what, count in tally.work.items())
    say(f"  {work}" + (f"; {tally.note}" if tally.note else ""))
    return Result(
        campaign=campaign,
        tally=tally,
        failures=failures,
        seed=seed,
        seconds=time.monotonic() - started,
    )


def table(results: Sequence[Result]) -> str:
    """The results as columns of text."""
    rows = [COLUMNS, *(_cells(result) for result in results)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(COLUMNS))]
    lines = []
    for row in rows:
        first, *others = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        lines.append("  ".join([first, *others]).rstrip())
    lines.insert(1, "-" * max(len(line) for line in lines))
    return "\n".join(lines)


def _cells(result: Result) -> tuple[str, ...]:
    tally = result.tally
    points = f"{tally.points:,}" + (f" of {tally.out_of:,}" if tally.out_of is not None else "")
    return (
        result.campaign.name,
        points,
        str(tally.duplicates),
        str(tally.lost),
        str(tally.stuck),
        str(result.seed),
        f"{result.seconds:.0f}",
        result.verdict,
    )


def _as_json(result: Result) -> dict[str, Any]:
    tally = result.tally
    return {
        "campaign": result.campaign.name,
        "points": tally.points,
        "out_of": tally.out_of,
        "duplicates": tally.duplicates,
        "lost": tally.lost,
        "stuck": tally.stuck,
        "work": dict(tally.work),
        "seed": result.seed,
        "seconds": round(result.seconds, 1),
        "verdict": result.verdict,
        "failures": result.failures,
        "not_run": tally.not_run,
        "note": tally.note,
    }


def say(text: str) -> None:
    """One line at once: a long run is watched."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
