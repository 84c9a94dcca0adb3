"""Run a flow through a relay that loses one of its commits, and hold what it told against it."""

import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from django.db import InterfaceError, OperationalError, connection

from tests.campaigns.crash_points.killing import (
    BATCH,
    FRESH_SECONDS,
    Killed,
    Undisturbed,
    act_undisturbed,
    different,
    wait_for_rollbacks,
)
from tests.campaigns.crash_points.listing import CALLERS
from tests.campaigns.crash_points.lossy import Loss, LossyProxy
from tests.campaigns.harness.boundaries import BEFORE, Boundary, watched
from tests.campaigns.harness.flows import Flow, Role, Subject
from tests.campaigns.harness.proxy import of_database
from tests.campaigns.harness.rig import Rig

AWAY = "503"
# What a task says to nobody: its worker logs it, and the sweeps find the row again.
RAISED = "raised"
# The row that is written with the mark.
MARK = "INSERT attempt "


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit of a flow: the boundary before it, and whether it is a mark's."""

    number: int
    is_mark: bool


def commits_of(boundaries: Sequence[Boundary]) -> Iterator[Commit]:
    """Every COMMIT, and every write that commits by itself."""
    has_mark = False
    for each in boundaries:
        if each.moment != BEFORE:
            continue
        has_mark = has_mark or each.what.startswith(MARK)
        if each.is_durable_after:
            yield Commit(each.number, has_mark)
            has_mark = False


def losses_of(boundaries: Sequence[Boundary]) -> list[tuple[Commit, Loss]]:
    """Every commit with every loss."""
    return list(product(commits_of(boundaries), Loss))


def lose(rig: Rig, flow: Flow, losses: Sequence[tuple[Commit, Loss]]) -> Killed:
    """Lose each of these, one in each run of the flow, and retry as its caller would."""
    before = act_undisturbed(flow)
    done = Killed(flow=flow, undisturbed=before.subject)
    left = deque(losses)
    while left:
        subjects = _lose_some(rig, done, left, before)
        wait_for_rollbacks()
        for subject in subjects:
            flow.retry(subject)
        if flow.role not in CALLERS:
            told = f"{flow}, after a loss and a retry"
            done.wrong += different(told, subjects, before.after_retry)
        done.subjects += subjects
    return done


def _lose_some(
    rig: Rig, done: Killed, left: deque[tuple[Commit, Loss]], before: Undisturbed
) -> list[Subject]:
    subjects: list[Subject] = []
    most = 1 if done.flow.is_alone else BATCH
    until = time.monotonic() + FRESH_SECONDS
    while left and len(subjects) < most and (not subjects or time.monotonic() < until):
        commit, loss = left.popleft()
        subject = done.flow.arrange()
        subjects.append(subject)
        told = _run(rig, done, subject, commit, loss)
        _judge_answer(rig, done, subject, commit, loss, told, before)
    return subjects


def _run(rig: Rig, done: Killed, subject: Subject, commit: Commit, loss: Loss) -> str:
    """What the flow told its caller."""
    end = rig.child(lambda: _act(rig, done.flow, subject, commit, loss))
    if end.value is None or end.value["lost"] != 1:
        got = end.words or end.value or f"signal {end.signal}"
        done.wrong.append(f"{done.flow}, commit at {commit.number}: not lost; got {got}")
        return ""
    done.kills += 1
    return str(end.value["told"])


def _act(rig: Rig, flow: Flow, subject: Subject, commit: Commit, loss: Loss) -> dict[str, Any]:
    with LossyProxy(of_database(rig.superuser_url)) as proxy:
        values = connection.settings_dict
        values |= {"HOST": "127.0.0.1", "PORT": str(proxy.port)}
        values["OPTIONS"] = {**values["OPTIONS"], "sslmode": "disable"}
        connection.ensure_connection()

        def hook(boundary: Boundary) -> None:
            if boundary.number == commit.number:
                proxy.lose(loss)

        try:
            with watched(hook):
                told = flow.act(subject)
        except (OperationalError, InterfaceError) as error:
            told = f"{RAISED} {type(error).__name__}"
        return {"told": told, "lost": proxy.lost}


def _judge_answer(
    rig: Rig,
    done: Killed,
    subject: Subject,
    commit: Commit,
    loss: Loss,
    told: str,
    before: Undisturbed,
) -> None:
    """No success is told of what is not known, and nothing is sent after a mark that is not."""
    flow = done.flow
    what = f"{flow}, {loss} at {commit.number}"
    if commit.is_mark and flow.role is Role.DISPATCHER:
        sent = rig.ledger().requests.get(("production", subject.key), 0)
        if sent:
            done.wrong.append(f"{what}: {sent} requests left after a mark without an answer")
    # A sweep logs what failed and goes on with the next one; it tells nobody.
    if told.startswith((AWAY, RAISED)) or flow.role is Role.BEAT:
        return
    if told != before.answer:
        done.wrong.append(f"{what}: expected {AWAY} or {before.answer}, got {told}")
    wait_for_rollbacks()
    if flow.seen is not None:
        subject.seen = flow.seen(subject)
    done.wrong += different(f"{what}, told {told}", [subject], before.after_act)
