"""Runs campaigns in this process, one after the other."""

import sys
import tempfile
import textwrap
import time
import traceback
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tests.campaigns.harness.campaign import Campaign, Run, Tally
from tests.campaigns.harness.rig import Rig, rig
from tests.campaigns.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """How to run: the seed, the budget of all, whether the short form, which points, which part."""

    seed: int
    budget_seconds: float
    is_slice: bool = False
    focus: str = ""
    part: tuple[int, int] = (1, 1)


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


def run_here(chosen: Sequence[Campaign], wish: Wish) -> list[Result]:
    """Run them with one rig: each has what it needs, and the rest is shared by their weights."""
    results = []
    ends_at = time.monotonic() + wish.budget_seconds
    with ExitStack() as stack:
        shared = SharedRig(stack)
        for number, campaign in enumerate(chosen):
            seconds = _seconds(chosen[number:], left=ends_at - time.monotonic())
            if len(chosen) == 1:
                seconds = wish.budget_seconds
            if wish.is_slice:
                seconds = campaign.slice_seconds
            say(f"\n{campaign.name}: {campaign.title} (at most about {seconds:.0f} s)")
            results.append(_run_one(campaign, shared, wish, seconds=seconds))
    return results


def _seconds(waiting: Sequence[Campaign], *, left: float) -> float:
    """Those of the first of them: what it needs, and its part of what nobody needs."""
    spare = max(0.0, left - sum(each.needs_seconds for each in waiting))
    weight = sum(each.share for each in waiting) or 1.0
    return waiting[0].needs_seconds + spare * waiting[0].share / weight


def _run_one(campaign: Campaign, shared: SharedRig, wish: Wish, *, seconds: float) -> Result:
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="campaign-") as directory:
        run = Run(
            seed=wish.seed,
            seconds=seconds,
            directory=Path(directory),
            is_slice=wish.is_slice,
            focus=wish.focus,
            part=wish.part,
            get_rig=shared,
            say=lambda text: say(f"  {text}"),
        )
        try:
            tally = campaign.run(run)
        except Exception:
            say(textwrap.indent(traceback.format_exc(), "  "))
            tally = Tally(points=0, violations=("it ended with an exception, told above",))
    result = Result(
        campaign=campaign,
        tally=tally,
        failures=campaign.failures(
            tally,
            is_slice=wish.is_slice,
            is_narrowed=bool(wish.focus),
            is_part=wish.part != (1, 1),
        ),
        seed=wish.seed,
        seconds=time.monotonic() - started,
    )
    for line in result.lines:
        say(f"  {line}")
    return result


def say(text: str) -> None:
    """One line at once: a long run is watched."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
