"""Campaign 3: each commit of each flow is lost, or the answer to it, in four ways."""

from tests.campaigns.crash_points.judging import Found, agents_console, groups, judge, warm_up
from tests.campaigns.crash_points.killing import Killed
from tests.campaigns.crash_points.listing import enumerated
from tests.campaigns.crash_points.losing import lose, losses_of
from tests.campaigns.harness.boundaries import Boundary
from tests.campaigns.harness.campaign import Campaign, Run, Tally
from tests.campaigns.harness.flows import FLOWS, Flow, Role
from tests.campaigns.harness.rig import Rig

# An agent's process has no commits of its own; those of the calls it makes are the API's.
LOSING = tuple(flow for flow in FLOWS if flow.role is not Role.AGENT)
FLOWS_IN_SLICE, LOSSES_IN_SLICE = 6, 4


def run(run: Run) -> Tally:
    """All losses of all flows; in a slice some of a few. `focus` names the flows by a text."""
    found = Found()
    rig = run.rig()
    chosen = run.mine([flow for flow in LOSING if run.focus in str(flow)])
    if run.is_slice and not run.focus:
        chosen = run.random.sample(chosen, FLOWS_IN_SLICE)
    with agents_console(rig):
        for group in groups(chosen):
            rig.empty()
            warm_up(group)
            if group[0].is_alone:
                rig.empty()
            done = [killed for flow in group if (killed := _one(run, rig, flow, found))]
            judge(rig, done, found)
            run.say(f"{group[0].role}: {len(done)} of {len(group)} flows, {found.kills} losses")
    out_of = sum(len(losses_of(boundaries)) for boundaries in found.listed.values())
    return Tally(
        points=found.kills,
        out_of=out_of,
        duplicates=found.duplicates,
        lost=found.lost,
        stuck=found.stuck,
        violations=tuple(found.violations),
        work={"commits lost": found.kills, "flows": found.flows, **found.work},
    )


def _one(run: Run, rig: Rig, flow: Flow, found: Found) -> Killed | None:
    boundaries: list[Boundary] = enumerated(flow)
    losses = losses_of(boundaries)
    found.listed[flow] = boundaries
    if not losses:
        return None
    if run.is_slice:
        losses = run.random.sample(losses, min(LOSSES_IN_SLICE, len(losses)))
    done = lose(rig, flow, losses)
    found.kills += done.kills
    found.flows += 1
    found.violations += done.wrong
    return done


CAMPAIGN = Campaign(
    name="lost-acks",
    title="each commit's answer lost, reset or never given, and each commit lost on its way",
    share=0,
    needs_seconds=270,
    run=run,
    has_focus=True,
    least={"commits lost": 400, "flows": 80, "confirmed": 100},
    least_in_slice={"commits lost": 8, "flows": 3},
    slice_seconds=8,
    whole=True,
    parts=2,
)
