"""The boundaries of every flow, enumerated by an undisturbed run, and the frozen list of them.

A new statement, a dropped one or one in another place changes the list, so that whoever changes a
flow sees in the diff where it can die from now on.
"""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tests.campaigns.harness.boundaries import BEFORE, Boundary, Noted, watched
from tests.campaigns.harness.flows import FLOWS, Flow, Role

FROZEN = Path(__file__).with_name("points.txt")
REMEDY = "Read the difference; if it is meant: python -m tests.campaigns.crash_points --freeze"
HEAD = """\
# Where a process can die: one line for each statement, COMMIT and HTTP request of each flow, told
# by its verb, its tables, and a hash of its text. A process is killed before each line, and after
# each that is marked +: what follows it is the next line, or something outside this list (a call of
# the receiver, a hint to the broker, the answer to the caller). After any other line there is only
# our own work until the next one, so to die after it is to die before the next.
# Written by `python -m tests.campaigns.crash_points --freeze`.
"""
_COUNT = re.compile(r"^\S.*: (\d+) points$", re.MULTILINE)
# Where a call of the receiver may stand between two boundaries.
CALLERS = (Role.DISPATCHER, Role.RECONCILER, Role.AGENT)

type Listed = Mapping[Flow, Sequence[Boundary]]


def enumerated(flow: Flow) -> list[Boundary]:
    """What one undisturbed run passes."""
    subject, noted = flow.arrange(), Noted()
    with watched(noted):
        flow.act(subject)
    if flow.is_alone:
        flow.retry(subject)
    return noted.boundaries


def points_of(flow: Flow, boundaries: Sequence[Boundary]) -> list[int]:
    """The numbers of the boundaries at which a death differs from one at the next boundary."""
    last = len(boundaries)
    return [
        each.number
        for each in boundaries
        if each.moment == BEFORE
        or each.is_durable_after
        or flow.role in CALLERS
        or each.number == last
    ]


def written(listed: Listed) -> str:
    """The list as it is frozen."""
    return "\n".join([HEAD, *(_paragraph(flow, listed[flow]) for flow in listed)])


def _paragraph(flow: Flow, boundaries: Sequence[Boundary]) -> str:
    points = set(points_of(flow, boundaries))
    lines = [
        f"  {'+' if each.number + 1 in points else ' '} {each.what}"
        for each in boundaries
        if each.moment == BEFORE
    ]
    return "\n".join([f"{flow}: {len(points)} points", *lines, ""])


def differences(listed: Listed) -> list[str]:
    """What is not as frozen, as one diff with its remedy; empty when all is.

    Only the flows in `listed` are compared, and those that are frozen and no flows any more.
    """
    frozen = _frozen_without(str(flow) for flow in FLOWS if flow not in listed)
    now = written(listed).splitlines()
    found = list(difflib.unified_diff(frozen, now, "points.txt", "enumerated", lineterm="", n=2))
    return ["\n".join([*found, REMEDY])] if found else []


def _frozen_without(others: Iterable[str]) -> list[str]:
    text = FROZEN.read_text() if FROZEN.exists() else ""
    heads = tuple(f"{name}: " for name in others)
    paragraphs = [each for each in text.split("\n\n") if not each.startswith(heads)]
    return "\n\n".join(paragraphs).splitlines()


def frozen_count() -> int:
    """How many points the frozen list has."""
    return sum(int(number) for number in _COUNT.findall(FROZEN.read_text()))


def count(listed: Listed) -> int:
    """How many points there are."""
    return sum(len(points_of(flow, boundaries)) for flow, boundaries in listed.items())
