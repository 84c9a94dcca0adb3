"""Kill one process after the other, each at a boundary of a flow; then let the caller try again."""

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import batched

from django.db import connection

from tests.campaigns.crash_points.endings import endings
from tests.campaigns.harness.boundaries import AFTER, Boundary, killing, watched
from tests.campaigns.harness.children import Child
from tests.campaigns.harness.flows import Flow, Subject
from tests.campaigns.harness.rig import Rig

# Children at a time: as many as the machine has cores, and each on a subject of its own.
LANES = 2
# A look-up counts for 60 s and a lease as long, so no subject waits long for its turn.
BATCH = 40
ROLLED_BACK_WITHIN_SECONDS = 10.0


@dataclass(slots=True, kw_only=True)
class Killed:
    """What was done to one flow. `undisturbed` is a subject that nobody touched, for comparison.

    `wrong`: what is not as it should be, one sentence each.
    """

    flow: Flow
    undisturbed: Subject
    subjects: list[Subject] = field(default_factory=list)
    kills: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def all_subjects(self) -> list[Subject]:
        """Every subject of the flow."""
        return [self.undisturbed, *self.subjects]


def kill_at(rig: Rig, flow: Flow, boundaries: Sequence[Boundary], numbers: Sequence[int]) -> Killed:
    """Kill a process of this flow at each of these boundaries, and retry as its caller would."""
    undisturbed = flow.arrange()
    flow.act(undisturbed)
    if flow.seen is not None:
        undisturbed.seen = flow.seen(undisturbed)
    killed = Killed(flow=flow, undisturbed=undisturbed)
    right = endings([undisturbed])[undisturbed.key]
    lanes = 1 if flow.is_alone else LANES
    for batch in batched(numbers, 1 if flow.is_alone else BATCH):
        subjects = _kill_batch(rig, killed, boundaries, batch, lanes)
        wait_for_rollbacks()
        for subject in subjects:
            flow.retry(subject)
        if flow.may_end is None:
            for key, end in endings(subjects).items():
                if end != right:
                    points = f"{batch[0]} to {batch[-1]}"
                    killed.wrong.append(
                        f"{flow}, killed at one of {points} and tried again: expected\n{right}\n"
                        f"got for {key}\n{end}"
                    )
        killed.subjects += subjects
    return killed


def _kill_batch(
    rig: Rig, killed: Killed, boundaries: Sequence[Boundary], numbers: Sequence[int], lanes: int
) -> list[Subject]:
    """Until the first commit a death leaves nothing, so that the same subject can die again."""
    first = first_durable(boundaries)
    early = [number for number in numbers if number < first]
    again = [killed.flow.arrange() for _ in range(min(lanes, len(early)))]
    jobs = [(number, again[place % len(again)]) for place, number in enumerate(early)]
    jobs += [(number, killed.flow.arrange()) for number in numbers if number >= first]
    running: deque[tuple[int, Child]] = deque()
    for number, subject in jobs:
        if len(running) == lanes:
            _await(killed, *running.popleft())
        running.append((number, rig.start(lambda s=subject, n=number: _act(killed.flow, s, n))))
    while running:
        _await(killed, *running.popleft())
    return [*again, *(subject for number, subject in jobs if number >= first)]


def _act(flow: Flow, subject: Subject, number: int) -> str:
    connection.ensure_connection()
    with watched(killing(number)):
        return flow.act(subject)


def _await(killed: Killed, number: int, child: Child) -> None:
    end = child.end()
    if end.was_killed:
        killed.kills += 1
    else:
        got = end.words or end.value or f"signal {end.signal}"
        killed.wrong.append(f"{killed.flow}: point {number} was not reached; it ended with {got}")


def first_durable(boundaries: Sequence[Boundary]) -> int:
    """The number of the first boundary after which something stays; one beyond the last if none."""
    durable = (each.number for each in boundaries if each.is_durable_after and each.moment == AFTER)
    return next(durable, len(boundaries) + 1)


def wait_for_rollbacks() -> None:
    """Until PostgreSQL has noticed every death: whoever comes next would wait for its locks."""
    until = time.monotonic() + ROLLED_BACK_WITHIN_SECONDS
    while _other_sessions():
        if time.monotonic() > until:
            raise AssertionError("sessions of dead processes are still there")
        time.sleep(0.002)


def _other_sessions() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        (found,) = cursor.fetchone()
    return int(found)
