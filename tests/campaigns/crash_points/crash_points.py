"""Campaign 2: SIGKILL at every boundary of every flow, then the caller's retry, then healing."""

from collections.abc import Sequence

from tests.campaigns.crash_points.judging import (
    Found,
    agents_console,
    groups,
    judge,
    warm_up,
)
from tests.campaigns.crash_points.killing import Killed, kill_at
from tests.campaigns.crash_points.listing import (
    count,
    differences,
    enumerated,
    frozen_count,
    points_of,
)
from tests.campaigns.harness.campaign import Campaign, Run, Tally
from tests.campaigns.harness.flows import FLOWS, Flow
from tests.campaigns.harness.rig import Rig

# How many points of a few flows a slice tries.
FLOWS_IN_SLICE, POINTS_IN_SLICE = 9, 6


def run(run: Run) -> Tally:
    """All points of all flows, group by group; in a slice all are counted and some are tried.

    `focus` narrows it to the flows whose names hold that text. A whole run tries the closed list to
    its end, whatever the budget: one that leaves points out has not passed.
    """
    found = Found()
    rig = run.rig()
    chosen = run.mine([flow for flow in FLOWS if run.focus in str(flow)])
    tried = run.random.sample(FLOWS, FLOWS_IN_SLICE) if run.is_slice else chosen
    with agents_console(rig):
        for group in groups(chosen):
            rig.empty()
            warm_up(group)
            if group[0].is_alone:
                rig.empty()
            done = [killed for flow in group if (killed := _one(run, rig, flow, found, tried))]
            judge(rig, done, found)
            run.say(f"{group[0].role}: {len(done)} of {len(group)} flows, {found.kills} kills")
    found.violations += differences(found.listed)
    return Tally(
        points=found.kills,
        out_of=frozen_count() if run.is_slice else count(found.listed),
        duplicates=found.duplicates,
        lost=found.lost,
        stuck=found.stuck,
        violations=tuple(found.violations),
        work={"kills": found.kills, "flows killed": found.flows, **found.work},
        note=f"{len(found.listed)} flows enumerated",
    )


def _one(run: Run, rig: Rig, flow: Flow, found: Found, tried: Sequence[Flow]) -> Killed | None:
    boundaries = found.listed[flow] = enumerated(flow)
    numbers = points_of(flow, boundaries)
    if run.is_slice and not run.focus:
        if flow not in tried:
            return None
        numbers = sorted(run.random.sample(numbers, min(POINTS_IN_SLICE, len(numbers))))
    killed = kill_at(rig, flow, boundaries, numbers)
    found.kills += killed.kills
    found.flows += 1
    found.violations += killed.wrong
    return killed


CAMPAIGN = Campaign(
    name="crash-points",
    title="SIGKILL before and after every statement and COMMIT of every flow in every process",
    share=0,
    needs_seconds=350,
    run=run,
    has_focus=True,
    least={"kills": 3600, "flows killed": 110, "confirmed": 300, "refused": 30, "cancelled": 50},
    least_in_slice={"kills": 20, "flows killed": 3},
    slice_seconds=15,
    whole=True,
    parts=2,
)
