"""Kill one process after the other, each at a boundary of a flow; then let the caller try again."""

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db import connection

from tests.campaigns.crash_points.endings import endings
from tests.campaigns.crash_points.listing import CALLERS
from tests.campaigns.harness.boundaries import AFTER, Boundary, killing, watched
from tests.campaigns.harness.children import Child
from tests.campaigns.harness.flows import Flow, Subject
from tests.campaigns.harness.rig import Rig

# Children at a time: as many as the machine has cores, and each on a subject of its own.
LANES = 2
# A look-up counts for 60 s, so the retry comes sooner, on a busy machine too.
BATCH, FRESH_SECONDS = 16, 20.0
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
    before = act_undisturbed(flow)
    killed = Killed(flow=flow, undisturbed=before.subject)
    right = before.after_retry
    left = deque(numbers)
    while left:
        subjects, points = _kill_some(rig, killed, boundaries, left)
        wait_for_rollbacks()
        for subject in subjects:
            flow.retry(subject)
        # The others' dead processes still hold their claims: those are judged when all has healed.
        if flow.role not in CALLERS:
            told = f"{flow}, killed at one of {points} and tried again"
            killed.wrong += different(told, subjects, right)
        killed.subjects += subjects
    return killed


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """A subject that nothing happened to: the answer, how it stood then, and after a retry.

    Its caller, who got an answer, tries again only where that is another act.
    """

    subject: Subject
    answer: str
    after_act: str
    after_retry: str


def act_undisturbed(flow: Flow) -> Undisturbed:
    """Run the flow as it should be."""
    subject = flow.arrange()
    answer = flow.act(subject)
    if flow.seen is not None:
        subject.seen = flow.seen(subject)
    after_act = endings([subject])[subject.key]
    if flow.again is not None:
        flow.retry(subject)
    return Undisturbed(subject, answer, after_act, endings([subject])[subject.key])


def _kill_some(
    rig: Rig, killed: Killed, boundaries: Sequence[Boundary], left: deque[int]
) -> tuple[list[Subject], list[int]]:
    """Take some numbers from the left and kill there: the subjects that died, and the numbers.

    Until the first commit a death leaves nothing, so that the same subject can die again.
    """
    flow, first = killed.flow, first_durable(boundaries)
    most, lanes = (1, 1) if flow.is_alone else (BATCH, LANES)
    subjects: list[Subject] = []
    again: list[Subject] = []
    running: deque[_Running] = deque()
    numbers: list[int] = []
    until = time.monotonic() + FRESH_SECONDS
    while left and len(numbers) < most and (not numbers or time.monotonic() < until):
        number = left.popleft()
        numbers.append(number)
        if len(running) == lanes:
            again += _await(killed, running.popleft())
        if number < first and again:
            subject = again.pop()
        else:
            subject = flow.arrange()
            subjects.append(subject)
        child = rig.start(lambda s=subject, n=number: _act(flow, s, n))
        running.append(_Running(number, subject, child, leaves_nothing=number < first))
    while running:
        _await(killed, running.popleft())
    return subjects, numbers


@dataclass(frozen=True, slots=True)
class _Running:
    number: int
    subject: Subject
    child: Child
    leaves_nothing: bool


def _act(flow: Flow, subject: Subject, number: int) -> str:
    connection.ensure_connection()
    with watched(killing(number)):
        return flow.act(subject)


def _await(killed: Killed, running: _Running) -> list[Subject]:
    """Its subject, when it can die once more."""
    end = running.child.end()
    if end.was_killed:
        killed.kills += 1
    else:
        got = end.words or end.value or f"signal {end.signal}"
        killed.wrong.append(
            f"{killed.flow}: point {running.number} was not reached; it ended with {got}"
        )
    return [running.subject] if running.leaves_nothing else []


def different(what: str, subjects: Sequence[Subject], right: str) -> list[str]:
    """Which subjects stand otherwise than `right`, one sentence each."""
    return [
        f"{what}: expected\n{right}\ngot for {key}\n{end}"
        for key, end in endings(subjects).items()
        if end != right
    ]


def first_durable(boundaries: Sequence[Boundary]) -> int:
    """The number of the first boundary after which something stays; one beyond the last if none."""
    durable = (
        each.number
        for each in boundaries
        if each.is_durable_after and each.moment == AFTER and (each.wrote or not each.is_commit)
    )
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
