"""Campaign 12: workers whose clocks are off by hours and days; leases live on the database's."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings

from operations.models import Operation
from operations.protocol.states import Executor
from tests.build import move_back
from tests.campaigns.harness.campaign import Campaign, Run, Tally
from tests.campaigns.harness.flows import cast, outside, states
from tests.campaigns.harness.rig import Rig
from tests.campaigns.harness.settle import let_time_pass, settle, sweep
from tests.people import PAST_QUARANTINE_SECONDS, the_request

HERE = Path(__file__).parent
PROJECT = HERE.parents[2]
HOUR, DAY = 3600, 86_400
# Seconds by which a worker's time of day is off; True: it jumps there and back at every look.
CLOCKS = (
    (HOUR, False),
    (-HOUR, False),
    (30 * DAY, False),
    (-30 * DAY, False),
    (HOUR, True),
    (-30 * DAY, True),
)
NEAR_SECONDS = 300
# The lease of a claim must not end while the other process starts.
SLOW_START_SECONDS = 90
# How the acts end on the right clock, where their name says it.
RIGHT = {
    "send what another holds": "not_due",
    "claim what another holds": "already_claimed",
    "mark under a lease that runs": "marked",
    "mark under a lease that is over": "stale_claim",
    "approve in time": "approved",
    "approve too late": "choice_closed",
    "look up before the send deadline": "not_due",
    "look up what is due": "looked_up",
    "send what is due": "called",
}
# How far the database's own clock jumps, there and back.
JUMPS = (HOUR, -HOUR, 30 * DAY, -30 * DAY)


def run(run: Run) -> Tally:
    """The same acts on each clock end as they end on the right one; then the database's jumps."""
    compiler = shutil.which("cc")
    if compiler is None:
        return Tally(points=0, not_run="expected a C compiler (cc) for the clock, got none")
    rig = run.rig()
    shim = run.directory / "other_clock.so"
    source = str(HERE / "other_clock.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", shim, source, "-ldl"], check=True)
    right = _acts_on(rig, shim, off=0, wanders=False)
    violations = [
        f"on the right clock: expected {act} to end with {word}, got {right[act]}"
        for act, word in RIGHT.items()
        if right[act] != word
    ]
    acts = len(right)
    clocks = CLOCKS[3:5] if run.is_slice else _in_focus(CLOCKS, clock_name, run.focus)
    for clock in clocks:
        off, wanders = clock
        told = _acts_on(rig, shim, off=off, wanders=wanders)
        acts += len(told)
        violations += [
            f"{clock_name(clock)}: expected {act} to end with {word}, got {told[act]}"
            for act, word in right.items()
            if told[act] != word
        ]
    for seconds in _in_focus(JUMPS, lambda seconds: f"a jump of {seconds} s", run.focus):
        _jump(rig, seconds)
        acts += 1
    settle()
    found = rig.examine()
    return Tally(
        points=acts,
        out_of=len(right) * (len(CLOCKS) + 1) + len(JUMPS),
        duplicates=len(found.duplicates),
        lost=len(found.lost),
        stuck=len(found.stuck),
        violations=(*violations, *found.all),
        work={
            "acts": acts,
            "clocks": len(clocks) + 1,
            "requests": found.work["requests"],
            "effects": found.work["effects"],
        },
        note="on the right clock: " + ", ".join(f"{act}: {word}" for act, word in right.items()),
    )


def clock_name(clock: tuple[int, bool]) -> str:
    """What a focus is held against."""
    off, wanders = clock
    return f"a clock off by {off} s" + (", at every other look" if wanders else "")


def _in_focus[T](all_of_them: Sequence[T], name: Callable[[T], str], focus: str) -> list[T]:
    return [each for each in all_of_them if focus in name(each)]


def _acts_on(rig: Rig, shim: Path, *, off: int, wanders: bool) -> dict[str, str]:
    """Arrange afresh, let a process with that clock act, and return its words.

    Raises AssertionError when the clock of the process was not off as asked: then nothing was
    tried.
    """
    settle()
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "opsconsole.settings",
        "OPSCONSOLE_DATA": str(settings.OPSCONSOLE_DATA),
        "CELERY_BROKER_URL": "memory://",
        "SANDBOX_URL": rig.sandbox.url,
        "LD_PRELOAD": str(shim),
        "CLOCK_OFF_SECONDS": str(off),
        **({"CLOCK_WANDERS": "1"} if wanders else {}),
    }
    command = [sys.executable, "-m", "tests.campaigns.pauses.worker_of_another_time"]
    process = subprocess.run(
        [*command, json.dumps(_arranged())],
        cwd=PROJECT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=90,
    )
    assert process.returncode == 0, process.stderr
    told = json.loads(process.stdout.splitlines()[-1])
    is_off = abs(told["time"] - time.time() - off) < NEAR_SECONDS
    assert wanders or is_off, f"expected a clock off by {off} s, got {told['time']}"
    acts: dict[str, str] = told["acts"]
    return acts


def _arranged() -> dict[str, Any]:
    """One operation for each act, each on the side of its limit that the database's clock says."""
    with outside.configured(send_within_seconds=SLOW_START_SECONDS):
        held = states.ready("held", executor=Executor.CONSOLE)
        states.claim_for_console(held)
    held_by_agent, live, over = (states.ready(word) for word in ("by-agent", "live", "over"))
    states.claimed(held_by_agent)
    over_token = states.claimed(over, lease_seconds=60)
    move_back(over, 61)
    overdue = states.asked("overdue")
    overdue_request = the_request(overdue).pk
    move_back(overdue, 3601)
    unknown, _ = states.marked("unknown")
    move_back(unknown, PAST_QUARANTINE_SECONDS)
    return {
        "agent": cast.agent().name,
        "approver": cast.person("approver").username,
        "held": _id(held),
        "held_by_agent": _id(held_by_agent),
        "live": [_id(live), states.claimed(live)],
        "over": [_id(over), over_token],
        "asked": the_request(states.asked("asked")).pk,
        "overdue": overdue_request,
        "in_sending": _id(states.marked("in-sending")[0]),
        "unknown": _id(unknown),
        "due": _id(states.ready("due", executor=Executor.CONSOLE)),
    }


def _id(operation: Operation) -> str:
    return str(operation.pk)


def _jump(rig: Rig, seconds: int) -> None:
    """The database's clock jumps: leases end early or late, and nothing is sent twice for it.

    One that was set back is set right again: until then what is due waits, which is safe.
    """
    _arranged()
    let_time_pass(seconds, approvals_age=True)
    if seconds < 0:
        sweep()
        let_time_pass(-seconds, approvals_age=True)
    settle()


CAMPAIGN = Campaign(
    name="clocks",
    title="workers' clocks off by hours and days, and jumps of the database's own",
    share=0,
    needs_seconds=25,
    run=run,
    has_focus=True,
    least={"acts": 80, "requests": 7},
    least_in_slice={"acts": 30, "requests": 3},
)
