"""Campaign 6: processes stopped at the boundaries, resumed after the lease and a successor.

A stopped process keeps its transaction open until PostgreSQL ends it; then leases run out, the
sweeps and successors do their work, and the stopped ones go on as if nothing had happened.
"""

import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import batched

from django.db import connection

from tests.campaigns.crash_points.crash_points import agents_console, groups, warm_up
from tests.campaigns.crash_points.listing import enumerated, points_of
from tests.campaigns.harness.boundaries import BEFORE, Boundary, stopping, watched
from tests.campaigns.harness.campaign import Campaign, Run, Tally
from tests.campaigns.harness.children import Child
from tests.campaigns.harness.flows import FLOWS, Flow, Role, Subject
from tests.campaigns.harness.invariants import Findings
from tests.campaigns.harness.ledger import Ledger
from tests.campaigns.harness.rig import Rig
from tests.campaigns.harness.settle import let_time_pass, settle, sweep

# The receiver's own is 2 s; the clock that a sender's deadline runs on can't be moved.
PAST_THE_DEADLINE_SECONDS = 2.4
# PostgreSQL ends the transaction of a stopped process, as in production, only sooner.
IDLE_IN_TRANSACTION = "1s"
# Past every lease, and a whole hour, as when the database's clock jumps.
PAUSES_SECONDS = (90, 3600)
AT_ONCE = 48
# An agent's call of the receiver.
CALL = "POST /orders"
# On a busy machine a deadline may be over before the boundary is reached: of so many points less
# than this part may be missed.
MOST_MISSED, FEWEST_POINTS = 0.1, 20


@dataclass(frozen=True, slots=True)
class Point:
    """A boundary of a flow at which a process is stopped.

    `is_at_call`: between the sender's last look at its clock and its call, where no rule can hold
    it back (docs/reliability.md); that it makes no second effect is all that can be asked.
    """

    flow: Flow
    number: int
    is_at_call: bool


@dataclass(slots=True)
class Paused:
    """What all pauses together showed."""

    pauses: int = 0
    missed: int = 0
    late_calls: int = 0
    findings: list[Findings] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)

    def count(self, kind: str) -> int:
        """Over all examinations: duplicates, lost or stuck."""
        return sum(len(getattr(found, kind)) for found in self.findings)

    def work(self, what: str) -> int:
        """Over all examinations: requests, effects, confirmed."""
        return sum(found.work.get(what, 0) for found in self.findings)


def run(run: Run) -> Tally:
    """Points in a random order, many processes at a time, until the budget is over."""
    rig = run.rig()
    paused = Paused()
    with agents_console(rig):
        points = _points(rig, run)
        run.random.shuffle(points)
        for chunk in batched(points, AT_ONCE):
            rig.empty()
            _pause(rig, run, chunk, paused)
            if run.is_over():
                break
    return Tally(
        points=paused.pauses,
        out_of=len(points),
        duplicates=paused.count("duplicates"),
        lost=paused.count("lost"),
        stuck=paused.count("stuck"),
        violations=(
            *paused.violations,
            *_too_many(paused),
            *(line for found in paused.findings for line in found.all),
        ),
        work={
            "pauses": paused.pauses,
            "points that were not reached": paused.missed,
            "late calls that nothing could hold back": paused.late_calls,
            "requests": paused.work("requests"),
            "effects": paused.work("effects"),
            "confirmed": paused.work("confirmed"),
        },
    )


def _too_many(paused: Paused) -> Iterator[str]:
    """A point that was never reached was never tried: a run of many has not done what it says."""
    points = paused.pauses + paused.missed
    if points >= FEWEST_POINTS and paused.missed > MOST_MISSED * points:
        yield (
            f"expected at most {MOST_MISSED:.0%} of {points} points to be missed,"
            f" got {paused.missed}: too little was done"
        )


def _points(rig: Rig, run: Run) -> list[Point]:
    """Every point of every flow that works on one operation; in a slice the dispatcher's."""
    found = []
    for group in groups(FLOWS):
        if group[0].is_alone or (run.is_slice and group[0].role is not Role.DISPATCHER):
            continue
        rig.empty()
        warm_up(group)
        for flow in group:
            if run.focus not in str(flow):
                continue
            boundaries = enumerated(flow)
            found += [
                Point(flow, number, is_at_call=_is_at_call(boundaries[number - 1]))
                for number in points_of(flow, boundaries)
            ]
    return found


def _is_at_call(boundary: Boundary) -> bool:
    return boundary.moment == BEFORE and boundary.what == CALL


def _pause(rig: Rig, run: Run, points: Sequence[Point], paused: Paused) -> None:
    subjects = [(point, point.flow.arrange()) for point in points]
    stopped = [(p, s, rig.start(lambda p=p, s=s: _act(p, s))) for p, s in subjects]
    reached = [each for each in stopped if each[2].wait_until_stopped()]
    paused.pauses += len(reached)
    paused.missed += len(stopped) - len(reached)
    time.sleep(PAST_THE_DEADLINE_SECONDS)
    let_time_pass(run.random.choice(PAUSES_SECONDS))
    sweep()
    sweep()
    before = rig.ledger()
    sent_under = _newest_attempts()
    for _, _, child in reached:
        child.send(signal.SIGCONT)
    for point, _, child in stopped:
        _await(point, child, paused)
    may_be_late = {subject.key for point, subject, _ in reached if point.is_at_call}
    late = _late_sends(before, rig.ledger(), sent_under)
    paused.violations += [words for key, words in late if key not in may_be_late]
    paused.late_calls += sum(key in may_be_late for key, _ in late)
    settle()
    paused.findings.append(rig.examine())


def _act(point: Point, subject: Subject) -> str:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('idle_in_transaction_session_timeout', %s, false)",
            [IDLE_IN_TRANSACTION],
        )
    with watched(stopping(point.number)):
        return point.flow.act(subject)


def _await(point: Point, child: Child, paused: Paused) -> None:
    """It may end with an answer or an error, but it must end."""
    try:
        child.end(within_seconds=40)
    except TimeoutError as error:
        paused.violations.append(f"{point.flow}, paused at {point.number}: {error}")


def _late_sends(before: Ledger, after: Ledger, attempts: dict[str, int]) -> list[tuple[str, str]]:
    """A request after the pause needs an attempt that was written after the pause: key, words."""
    newest = _newest_attempts()
    return [
        (key, f"{key}: sent after the pause under the attempt of before it")
        for (environment, key), count in after.requests.items()
        if count > before.requests.get((environment, key), 0)
        and newest.get(key, 0) == attempts.get(key, 0) != 0
    ]


def _newest_attempts() -> dict[str, int]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT o.key, max(a.id) FROM operations_attempt a"
            " JOIN operations_operation o ON o.id = a.operation_id GROUP BY o.key"
        )
        return dict(cursor.fetchall())


CAMPAIGN = Campaign(
    name="pauses",
    title="processes stopped at the boundaries and resumed after lease, deadline and successor",
    share=2,
    needs_seconds=60,
    run=run,
    has_focus=True,
    least={"pauses": 86, "confirmed": 20},
    least_in_slice={"pauses": 20},
)
