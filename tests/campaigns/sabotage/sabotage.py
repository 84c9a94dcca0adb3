"""Campaign 13: faults planted in copies of the product; a named campaign must find each.

A campaign that passes with a fault in the product would pass whatever the product does.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.campaigns.harness.campaign import Campaign, Run, Tally
from tests.campaigns.sabotage.faults import FAULTS, TESTS, Fault

PROJECT = Path(__file__).resolve().parents[3]
COPIED = ("operations", "reconciliation", "opsconsole", "tests", "templates", "static")
FILES = ("manage.py", "pyproject.toml", "opsconsole.toml")
AT_ONCE = 2
LONGEST_SECONDS = 240
# What a fault must not be found by: a run that broke down, or that did nothing.
NO_FINDING = ("it ended with an exception", "too little was done", "no point was tried")


class CouldNotRun(Exception):
    """The killer said nothing of the fault, for a reason of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the killer said of a copy with the fault. `words` is its first finding."""

    fault: Fault
    is_caught: bool
    words: str


def run(run: Run) -> Tally:
    """Faults in a random order until the budget is over; each killer first without a fault."""
    faults = list(FAULTS)
    run.random.shuffle(faults)
    faults = [fault for fault in faults if run.focus in fault.name]
    if run.is_slice:  # one that is found within seconds
        faults = [fault for fault in faults if fault.focus in ("lost", "other")][:1]
    violations: list[str] = []
    outcomes: list[Outcome] = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        todo = iter(faults)
        while not run.is_over() or not outcomes:
            some = [fault for _, fault in zip(range(AT_ONCE), todo, strict=False)]
            if not some:
                break
            found = list(pool.map(lambda fault: _try(run, fault), some))
            for outcome in found:
                word = "caught" if outcome.is_caught else "NOT CAUGHT"
                run.say(f"{word} by {outcome.fault.killer}: {outcome.fault.name} | {outcome.words}")
            outcomes += found
    violations += [
        f"not caught by {outcome.fault.killer}: {outcome.fault.name} ({outcome.words})"
        for outcome in outcomes
        if not outcome.is_caught
    ]
    caught = len(outcomes) - len(violations)
    return Tally(
        points=len(outcomes),
        out_of=len(FAULTS),
        violations=tuple(violations),
        work={"faults planted": len(outcomes), "faults caught": caught},
    )


def _try(run: Run, fault: Fault) -> Outcome:
    copy = run.directory / str(FAULTS.index(fault))
    _copy_to(copy)
    try:
        mistake = plant(fault, copy)
        findings = [] if mistake else list(_findings(copy, fault, seed=run.seed))
    except CouldNotRun as error:
        mistake = str(error)
    shutil.rmtree(copy)
    if mistake:
        return Outcome(fault=fault, is_caught=False, words=mistake)
    told = findings[0][:160] if findings else "it held"
    return Outcome(fault=fault, is_caught=bool(findings), words=told)


def _copy_to(copy: Path) -> None:
    copy.mkdir()
    for name in COPIED:
        shutil.copytree(PROJECT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy(PROJECT / name, copy / name)


def plant(fault: Fault, root: Path) -> str:
    """Put the fault into the tree; a sentence when its place is not there any more, else ""."""
    for name, old, new in fault.edits:
        text = (root / name).read_text()
        if text.count(old) != 1:
            return f"{name}: expected the text to replace once, got it {text.count(old)} times"
        (root / name).write_text(text.replace(old, new))
    return ""


def _findings(copy: Path, fault: Fault, *, seed: int) -> Iterator[str]:
    """What the killer found in the copy, in a process of its own."""
    told = copy / "results.json"
    module = ["pytest", "-q", "-x", fault.focus, "-p", "no:randomly"]
    if fault.campaign != TESTS:
        module = ["tests.campaigns", fault.campaign, "--seed", str(seed), "--json", str(told)]
        module += ["--budget", fault.budget]
        module += ["--focus", fault.focus] if fault.focus else []
    try:
        process = subprocess.run(
            [sys.executable, "-m", *module],
            cwd=copy,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LONGEST_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise CouldNotRun(f"it did not end within {LONGEST_SECONDS} s") from None
    if process.returncode not in (0, 1):
        raise CouldNotRun(f"it could not be run: {(process.stdout + process.stderr)[-300:]}")
    if fault.campaign == TESTS:
        yield from [process.stdout[-300:]] if process.returncode else []
    else:
        yield from _failures(json.loads(told.read_text()))


def _failures(results: list[dict[str, Any]]) -> Iterator[str]:
    for result in results:
        for failure in result["failures"]:
            if not any(words in failure for words in NO_FINDING):
                yield failure


CAMPAIGN = Campaign(
    name="sabotage",
    title="faults planted in copies of the product, each for a named campaign to find",
    share=2.0,
    run=run,
    least={"faults caught": 6},
    least_in_slice={"faults caught": 1},
    slice_seconds=20,
)
