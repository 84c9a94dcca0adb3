"""What the campaigns of crashes share: groups of flows, and the judgement once all has healed."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.campaigns.crash_points.endings import endings, short_endings
from tests.campaigns.crash_points.killing import Killed, different
from tests.campaigns.harness.boundaries import Boundary
from tests.campaigns.harness.flows import FLOWS, Flow, Role, agent
from tests.campaigns.harness.ledger import Ledger
from tests.campaigns.harness.rig import Rig
from tests.campaigns.harness.settle import settle
from tests.campaigns.harness.web_process import web_process


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


def judge(rig: Rig, done: Sequence[Killed], found: Found) -> None:
    """After healing: the invariants over everything, and the end of each operation."""
    if not done:
        return
    settle()
    ledger = rig.ledger()
    for killed in done:
        found.violations += _wrong_ends(killed, ledger)
    findings = rig.examine(acknowledged=_acknowledged(done))
    found.duplicates += len(findings.duplicates)
    found.lost += len(findings.lost)
    found.stuck += len(findings.stuck)
    found.violations += findings.all
    for what, number in findings.work.items():
        found.work[what] = found.work.get(what, 0) + number


def _wrong_ends(killed: Killed, ledger: Ledger) -> list[str]:
    flow, subjects = killed.flow, killed.subjects
    if flow.may_end is None:
        right = endings([killed.undisturbed])[killed.undisturbed.key]
        return different(f"{flow}, healed", subjects, right)
    expected = " or ".join(sorted(flow.may_end))
    return [
        f"{flow}, healed: expected {expected}; got {end}, {key}"
        for key, end in short_endings(subjects, ledger).items()
        if end not in flow.may_end
    ]


def _acknowledged(done: Sequence[Killed]) -> set[tuple[str, str]]:
    """Every operation that was arranged, or whose registration was answered at last."""
    subjects = [subject for killed in done for subject in killed.all_subjects]
    arranged = {("production", each.key) for each in subjects if each.operation is not None}
    bodies = [each.given["body"] for each in subjects if "body" in each.given]
    return arranged | {(body["environment"], body["key"]) for body in bodies}
