"""What brokers, schedulers and restarts do wrong, with real ones: one send, and nothing lost."""

import re
import signal
import threading
from uuid import uuid4

import pytest
from celery import current_app
from django.db.models import F

from operations import hints
from operations.models import AuditEntry, Claim, Operation
from operations.protocol.states import Question, State
from opsconsole.settings import REDIS_OPTIONS
from reconciliation.sandbox.process import SandboxProcess
from tests.build import a_console_operation, move_back
from tests.celery_workers import BEAT, WORKER, broker_fixture, start_fixture
from tests.receiver import eventually, requests_and_effects
from tests.reconciliation.actions.worker_process import start_worker

__all__ = ["broker_fixture", "start_fixture"]

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.servers,
    pytest.mark.timeout(180),
]

WITHIN_SECONDS = 90


def in_state(state: State) -> int:
    return Operation.objects.filter(state=state).count()


def soon(holds) -> bool:
    return bool(eventually(holds, within_seconds=WITHIN_SECONDS))


def counts(sandbox: SandboxProcess, operations: list[Operation]) -> set[tuple[int, int]]:
    return {requests_and_effects(sandbox, operation) for operation in operations}


def test_two_schedulers_and_a_rolling_restart_send_each_operation_once(start, sandbox_process):
    """Case 71: every sweep comes twice, and makes one send and one entry for each change.

    Case 64: the old worker ends its calls; no claim stays in the hands of a dead one.
    """
    operations = [a_console_operation() for _ in range(20)]
    for operation in operations:
        sandbox_process.fault(operation.key, "answer_late", seconds=0.3)
    same_name = ("--hostname", "worker@host")
    old = start(*WORKER, *same_name)
    start(*BEAT)
    start(*BEAT)
    assert soon(lambda: in_state(State.CONFIRMED) > 0)
    start(*WORKER, *same_name)
    threading.Event().wait(1)
    old.send_signal(signal.SIGTERM)
    assert soon(lambda: in_state(State.CONFIRMED) == len(operations))
    assert old.wait(timeout=20) == 0
    assert counts(sandbox_process, operations) == {(1, 1)}
    changes = AuditEntry.objects.filter(operation__in=operations).exclude(
        state_before=F("state_after")
    )
    for event in ("register", "mark", "confirm"):
        assert changes.filter(event=event).count() == len(operations)
    assert changes.count() == 3 * len(operations)
    assert soon(lambda: not Claim.objects.filter(ended_at=None).exists())
    assert "deadlock" not in start.said.lower()


def test_a_message_that_is_delivered_again_and_again_causes_one_send(
    start, broker, sandbox_process
):
    """Case 65: each of three workers gets a copy while the first one's call is under way."""
    assert REDIS_OPTIONS["ack_emulation"] is False  # so this broker itself delivers once
    operation = a_console_operation()
    sandbox_process.fault(operation.key, "answer_late", seconds=1)
    copy = {"task_id": str(uuid4()), "countdown": 3}
    with current_app.connection_for_write(broker.record.broker_url) as connection:
        for _ in range(3):
            current_app.send_task(
                hints.DISPATCH, [str(operation.pk)], connection=connection, **copy
            )
    for number in range(3):
        start(*WORKER, "--pool", "solo", "--hostname", f"w{number}@host", "--loglevel", "INFO")

    def times(word: str) -> int:
        return start.said.count(f"{hints.DISPATCH}[{copy['task_id']}] {word}")

    assert soon(lambda: times("succeeded") == 3), start.said
    operation.refresh_from_db()
    assert operation.state == State.CONFIRMED
    assert requests_and_effects(sandbox_process, operation) == (1, 1)
    assert not re.search(" (ERROR|CRITICAL) |Traceback", start.said)


def test_the_sweep_finds_what_killed_workers_left(start, sandbox_process, settings):
    """Case 67: before the mark, before the call and after the effect, with no message left."""
    points = ("before_the_mark", "after_the_mark", "after_the_response")
    unmarked, unsent, unheard = operations = [a_console_operation() for _ in points]
    dying = [
        start_worker(sandbox_process, point, operation, settings)
        for point, operation in zip(points, operations, strict=True)
    ]
    for worker, operation in zip(dying, operations, strict=True):
        worker.communicate(timeout=60)
        assert worker.returncode == -signal.SIGKILL
        operation.refresh_from_db()
        move_back(operation, 60)  # its lease, and the quarantine
    states = [operation.state for operation in operations]
    assert states == [State.READY, State.SENT_UNKNOWN, State.SENT_UNKNOWN]
    start(*WORKER)
    start(*BEAT)
    assert soon(lambda: in_state(State.CONFIRMED) == 2)
    assert soon(lambda: unsent.reviews.filter(closed_at=None).exists())
    assert unsent.reviews.get().question == Question.UNKNOWN_OUTCOME
    seen = [requests_and_effects(sandbox_process, each) for each in (unmarked, unsent, unheard)]
    assert seen == [(1, 1), (0, 0), (1, 1)]
    unsent.refresh_from_db()
    assert unsent.state == State.SENT_UNKNOWN
