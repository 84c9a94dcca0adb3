"""Campaign 2: SIGKILL at every boundary of every flow, then the caller's retry, then healing."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.campaigns.crash_points.endings import endings, short_endings
from tests.campaigns.crash_points.killing import Killed, kill_at
from tests.campaigns.crash_points.listing import (
    count,
    differences,
    enumerated,
    points_of,
)
from tests.campaigns.harness.boundaries import Boundary
from tests.campaigns.harness.campaign import Campaign, Run, Tally
from tests.campaigns.harness.flows import FLOWS, Flow, Role, agent
from tests.campaigns.harness.rig import Rig
from tests.campaigns.harness.settle import settle
from tests.campaigns.harness.web_process import web_process

# How many points of a few flows a slice tries.
FLOWS_IN_SLICE, POINTS_IN_SLICE = 9, 6


@dataclass(slots=True)
class Found:
    """What the whole campaign saw."""

    listed: dict[Flow, list[Boundary]] = field(default_factory=dict)
    kills: int = 0
    flows: int = 0
    duplicates: int = 0
    lost: int = 0
    stuck: int = 0
    violations: list[str] = field(default_factory=list)
    work: dict[str, int] = field(default_factory=dict)


def run(run: Run) -> Tally:
    """All points of all flows, group by group; in a slice all are counted and some are tried."""
    found = Found()
    rig = run.rig()
    with agents_console(rig):
        for group in groups():
            rig.empty()
            warm_up(group)
            if group[0].is_alone:
                rig.empty()
            done = [killed for flow in group if (killed := _one(run, rig, flow, found))]
            _judge(rig, done, found)
            if run.is_over() and not run.is_slice:
                break
    found.violations += differences(found.listed)
    return Tally(
        points=found.kills,
        out_of=count(found.listed),
        duplicates=found.duplicates,
        lost=found.lost,
        stuck=found.stuck,
        violations=tuple(found.violations),
        work={"kills": found.kills, "flows killed": found.flows, **found.work},
        note=f"{len(found.listed)} flows enumerated",
    )


@contextmanager
def agents_console(rig: Rig) -> Iterator[None]:
    """A web process for the agents' flows."""
    rig.empty()  # the receiver's address, which that process inherits
    with web_process() as url:
        agent.console_at(url)
        yield


def groups(flows: Sequence[Flow] = FLOWS) -> Iterator[list[Flow]]:
    """Those of a role together, and each by itself that works on whatever is there."""
    for role in Role:
        of_role = [flow for flow in flows if flow.role is role]
        together = [flow for flow in of_role if not flow.is_alone]
        if together:
            yield together
        for flow in of_role:
            if flow.is_alone:
                yield [flow]


def warm_up(group: Sequence[Flow]) -> None:
    """Load here, once, what every fork would load."""
    flow = group[0]
    flow.act(flow.arrange())


def _one(run: Run, rig: Rig, flow: Flow, found: Found) -> Killed | None:
    boundaries = found.listed[flow] = enumerated(rig, flow)
    numbers = points_of(flow, boundaries)
    if run.is_slice:
        if run.random.random() > FLOWS_IN_SLICE / len(FLOWS):
            return None
        numbers = sorted(run.random.sample(numbers, min(POINTS_IN_SLICE, len(numbers))))
    elif run.is_over():
        return None
    killed = kill_at(rig, flow, boundaries, numbers)
    found.kills += killed.kills
    found.flows += 1
    found.violations += killed.wrong
    return killed


def _judge(rig: Rig, done: Sequence[Killed], found: Found) -> None:
    """After healing: the invariants over everything, and the end of each operation."""
    if not done:
        return
    settle()
    ledger = rig.ledger()
    for killed in done:
        subjects = killed.all_subjects
        found.violations += _wrong_ends(killed, endings(subjects), short_endings(subjects, ledger))
    findings = rig.examine(acknowledged=_acknowledged(done))
    found.duplicates += len(findings.duplicates)
    found.lost += len(findings.lost)
    found.stuck += len(findings.stuck)
    found.violations += findings.all
    for what, number in findings.work.items():
        found.work[what] = found.work.get(what, 0) + number


def _wrong_ends(killed: Killed, ends: dict[str, str], short: dict[str, str]) -> Iterator[str]:
    may_end = killed.flow.may_end
    right = ends[killed.undisturbed.key]
    for subject in killed.subjects:
        end = ends[subject.key]
        if may_end is None and end != right:
            yield f"{killed.flow}, healed: expected\n{right}\ngot for {subject.key}\n{end}"
        if may_end is not None and short[subject.key] not in may_end:
            expected = " or ".join(sorted(may_end))
            yield f"{killed.flow}: expected {expected}; got {short[subject.key]}, {subject.key}"


def _acknowledged(done: Sequence[Killed]) -> set[tuple[str, str]]:
    """Every operation that was arranged, or whose registration was answered at last."""
    subjects = [subject for killed in done for subject in killed.all_subjects]
    arranged = {("production", each.key) for each in subjects if each.operation is not None}
    bodies = [each.given["body"] for each in subjects if "body" in each.given]
    return arranged | {(body["environment"], body["key"]) for body in bodies}


CAMPAIGN = Campaign(
    name="crash points",
    title="SIGKILL before and after every statement and COMMIT of every flow in every process",
    share=4,
    run=run,
    least={"kills": 4000, "flows killed": 110, "confirmed": 300, "refused": 30, "cancelled": 50},
    least_in_slice={"kills": 20, "flows killed": 3},
    slice_seconds=15,
    whole=True,
)
