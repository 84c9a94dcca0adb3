"""Campaign 13: faults planted in copies of the product; a named campaign must find each.

A campaign that passes with a fault in the product would pass whatever the product does, and one
that fails without any fault has found nothing: each finder is first run in an unchanged copy.
"""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from tests.campaigns.harness.campaign import Campaign, Run, Tally
from tests.campaigns.sabotage.fault import ORDERS, STATEFUL
from tests.campaigns.sabotage.faults import FAULTS, TESTS, Fault

PROJECT = Path(__file__).resolve().parents[3]
# What the finders read; the pages too, since one of them holds a table against what it measures.
COPIED = ("operations", "reconciliation", "opsconsole", "tests", "templates", "static", "docs")
FILES = ("manage.py", "pyproject.toml", "opsconsole.toml")
# Whose points are so quick that all of them together are the unchanged run of each.
TOGETHER = {STATEFUL: ": "}
# Where less will do to see that nothing is found in an unchanged copy.
BUDGETS = {ORDERS: "15s"}
AT_ONCE = 2
LONGEST_SECONDS = 240
# What a fault must not be found by: a run that broke down, or one that did too little.
BROKE_DOWN = ("it ended with an exception", "no point was tried")
TOO_LITTLE = "too little was done"


class CouldNotRun(Exception):
    """The finder said nothing of the fault, for a reason of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the finder said of a copy with the fault. `words` is its first finding."""

    fault: Fault
    is_caught: bool
    words: str
    seconds: float = 0.0


class Controls:
    """Each finder in a copy without a fault, once, however many faults it is to find."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._told: dict[str, Future[str]] = {}
        self._lock = Lock()

    def mistake(self, fault: Fault) -> str:
        """Why this finder's word is worth nothing; empty: it found nothing, as it should."""
        wanted = replace(
            fault,
            focus=TOGETHER.get(fault.campaign, fault.focus),
            budget=BUDGETS.get(fault.campaign, fault.budget),
        )
        with self._lock:
            is_first = wanted.killer not in self._told
            told = self._told.setdefault(wanted.killer, Future())
        if is_first:
            try:
                told.set_result(self._try(wanted, FAULTS.index(fault)))
            except BaseException as error:
                told.set_exception(error)
                raise
        return told.result()

    def _try(self, fault: Fault, number: int) -> str:
        copy = self._run.directory / f"clean-{number}"
        _copy_to(copy)
        try:
            found = list(_findings(copy, fault, seed=self._run.seed))
        except CouldNotRun as error:
            return f"without a fault: {error}"
        finally:
            shutil.rmtree(copy)
        return f"it fails without a fault too: {found[0]}" if found else ""


def run(run: Run) -> Tally:
    """Faults in a random order until the budget is over; each finder first without a fault."""
    outcomes: list[Outcome] = []
    controls = Controls(run)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for outcome in pool.map(partial(_in_time, run, controls), _chosen(run)):
            if outcome is not None:
                word = "caught" if outcome.is_caught else "NOT CAUGHT"
                by = f"{outcome.fault.killer} in {outcome.seconds:.0f} s"
                run.say(f"{word} by {by}: {outcome.fault.name} | {outcome.words}")
                outcomes.append(outcome)
    violations = [
        f"not caught by {outcome.fault.killer}: {outcome.fault.name} ({outcome.words})"
        for outcome in outcomes
        if not outcome.is_caught
    ]
    return Tally(
        points=len(outcomes),
        out_of=len(FAULTS),
        violations=tuple(violations),
        work={"faults planted": len(outcomes), "faults caught": len(outcomes) - len(violations)},
    )


def _chosen(run: Run) -> Sequence[Fault]:
    faults = [fault for fault in FAULTS if run.focus in fault.name]
    run.random.shuffle(faults)
    if run.is_slice:  # one that is found within seconds
        return [fault for fault in faults if fault.focus in ("lost", "other")][:1]
    return faults


def _in_time(run: Run, controls: Controls, fault: Fault) -> Outcome | None:
    """None when the budget was over before its turn; a slice tries its one whatever happens."""
    if run.is_over() and not run.is_slice:
        return None
    mistake = controls.mistake(fault)
    return Outcome(fault=fault, is_caught=False, words=mistake) if mistake else _try(run, fault)


def _try(run: Run, fault: Fault) -> Outcome:
    copy = run.directory / str(FAULTS.index(fault))
    _copy_to(copy)
    started_at = time.monotonic()
    findings: list[str] = []
    try:
        mistake = plant(fault, copy)
        findings = [] if mistake else list(_findings(copy, fault, seed=run.seed))
    except CouldNotRun as error:
        mistake = str(error)
    shutil.rmtree(copy)
    return Outcome(
        fault=fault,
        is_caught=bool(findings),
        words=findings[0].splitlines()[0][:200] if findings else mistake or "it held",
        seconds=time.monotonic() - started_at,
    )


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
    """What the finder found in the copy, in a process of its own. Raises CouldNotRun."""
    told = copy / "results.json"
    module = ["pytest", "-q", "-x", fault.focus, "-p", "no:randomly"]
    if fault.campaign != TESTS:
        module = ["tests.campaigns", fault.campaign, "--seed", str(seed), "--json", str(told)]
        module += ["--budget", fault.budget, "--here"]
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
    has_told = told.exists() or fault.campaign == TESTS
    if process.returncode not in (0, 1) or not has_told:
        raise CouldNotRun(f"it could not be run: {(process.stdout + process.stderr)[-300:]}")
    if fault.campaign == TESTS:
        yield from _failed_tests(process.stdout)
    else:
        yield from _failures(json.loads(told.read_text()), process.stdout)


def _failed_tests(printed: str) -> Iterator[str]:
    """The lines that name them. Raises CouldNotRun for a test that broke down before its check."""
    for line in printed.splitlines():
        if line.startswith("ERROR "):
            raise CouldNotRun(line)
        if line.startswith("FAILED "):
            yield line.removeprefix("FAILED ")


def _failures(results: list[dict[str, Any]], printed: str) -> Iterator[str]:
    """What was found. Raises CouldNotRun where nothing was, and the run itself broke down."""
    failures = [failure for result in results for failure in result["failures"]]
    broken = [each for each in failures if any(words in each for words in BROKE_DOWN)]
    found = [each for each in failures if each not in broken and TOO_LITTLE not in each]
    if broken and not found:
        raise CouldNotRun(f"{broken[0]}: {printed[-600:]}")
    yield from found


CAMPAIGN = Campaign(
    name="sabotage",
    title="faults planted in copies of the product, each for a named campaign to find",
    share=3,
    needs_seconds=110,
    run=run,
    has_focus=True,
    least={"faults caught": 4},
    least_in_slice={"faults caught": 1},
    slice_seconds=30,
)
