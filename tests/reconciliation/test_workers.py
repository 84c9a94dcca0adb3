"""Real Celery workers, a real broker and beat: killed, stopped and started again."""

import json
import signal
import time
from collections.abc import Iterator
from itertools import product
from uuid import uuid4

import pytest

from operations.models import Claim, Operation
from operations.protocol.states import Purpose, State
from reconciliation.sandbox.process import SandboxProcess
from tests.build import (
    a_claim,
    a_console_operation,
    a_marked_operation,
    an_operation,
    move_back,
)
from tests.campaigns.surroundings.echo import a_client
from tests.campaigns.surroundings.forgeries import DISPATCH, message
from tests.celery_workers import (
    BEAT,
    WORKER,
    broker_fixture,
    kill,
    start_fixture,
    worker_commands,
)
from tests.receiver import eventually, requests_and_effects

__all__ = ["broker_fixture", "start_fixture"]

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.servers,
    pytest.mark.timeout(240),
]

# The lookups of a killed worker's operations begin when its claim, 12 s, has run out.
# Four processes start first, and on a busy machine each of them takes its time.
WITHIN_SECONDS = 100
# A lookup waits 10 s for a receiver that hangs; sweeps run every second all the while.
SWEEPS_WITHIN_SECONDS = 6
# Longer than two workers wait for the broker, one after the other.
BROKER_HANGS_SECONDS = 20


def in_flight(sandbox: SandboxProcess, operation: Operation) -> bool:
    return bool(
        eventually(lambda: sandbox.ledger(operation.key)["effects"], within_seconds=WITHIN_SECONDS)
    )


def messages_that_lack_a_member() -> Iterator[bytes]:
    whole = json.loads(message(DISPATCH, [str(uuid4())]))
    for lacking in (
        {"headers": {}},
        {"headers": {"task": DISPATCH}},
        {"headers": {"id": str(uuid4())}},
        {"properties": {}},
    ):
        yield json.dumps(whole | lacking).encode()


def is_confirmed(operation: Operation) -> bool:
    def ask() -> bool:
        operation.refresh_from_db()
        return operation.state == State.CONFIRMED

    return bool(eventually(ask, within_seconds=WITHIN_SECONDS))


def test_a_sweep_sends_what_no_hint_told_and_a_stopped_worker_ends_its_call(start, sandbox_process):
    """Case 69: a deployment in the middle of a call repeats nothing."""
    operation = a_console_operation()  # its hint went to the broker of this test, which is no one's
    sandbox_process.fault(operation.key, "answer_late", seconds=1.5)
    worker = start(*WORKER)
    start(*BEAT)
    assert in_flight(sandbox_process, operation)
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(timeout=60) == 0
    assert is_confirmed(operation)
    start(*WORKER)
    other = a_console_operation()
    assert is_confirmed(other)
    assert requests_and_effects(sandbox_process, operation) == (1, 1)
    assert requests_and_effects(sandbox_process, other) == (1, 1)


def test_sweeps_go_on_while_a_receiver_hangs_as_long_as_it_is_let(start, sandbox_process):
    unknown = [a_marked_operation()[0] for _ in range(12)]
    for operation in unknown:
        move_back(operation, 120)
    for command in worker_commands():
        start(*command)
    sandbox_process.pause()
    try:
        start(*BEAT)
        assert eventually(lambda: lookups_under_way() >= 2, within_seconds=WITHIN_SECONDS)
        claimed = an_operation()
        claim = a_claim(claimed)
        move_back(claimed, 120)
        assert eventually(lambda: has_ended(claim), within_seconds=SWEEPS_WITHIN_SECONDS)
    finally:
        sandbox_process.go_on()


def lookups_under_way() -> int:
    return Claim.objects.filter(purpose=Purpose.RECONCILE, ended_at=None).count()


def has_ended(claim: Claim) -> bool:
    claim.refresh_from_db()
    return claim.ended_at is not None


def test_a_worker_goes_on_after_a_broker_that_hung(start, sandbox_process, broker):
    under_way = [a_console_operation() for _ in range(2)]
    for operation in under_way:
        sandbox_process.fault(operation.key, "answer_late", seconds=1.5)
    for command in worker_commands():
        start(*command)
    start(*BEAT)
    assert all(in_flight(sandbox_process, operation) for operation in under_way)
    broker.valkey.send_signal(signal.SIGSTOP)
    time.sleep(BROKER_HANGS_SECONDS)
    broker.valkey.send_signal(signal.SIGCONT)
    other = a_console_operation()
    assert is_confirmed(other)


def test_a_message_that_lacks_a_member_holds_up_no_lookup(start, sandbox_process, broker):
    """Kombu takes a KeyError for a lost connection, and would read such a message for ever."""
    operation = a_console_operation()
    sandbox_process.fault(operation.key, "lose_reply")
    with a_client(broker.record.broker_url) as client:
        for raw, queue in product(messages_that_lack_a_member(), ("dispatch", "reconcile")):
            client.lpush(queue, raw)
        start(*WORKER)
        start(*BEAT)
        assert is_confirmed(operation)
        assert operation.lookups.filter(result="found").exists()
        assert eventually(lambda: client.llen("dispatch") + client.llen("reconcile") == 0)
    assert "Connection to broker lost" not in start.said
    assert requests_and_effects(sandbox_process, operation) == (1, 1)


def test_after_a_killed_worker_the_next_one_looks_up_and_sends_nothing(start, sandbox_process):
    operation = a_console_operation()
    sandbox_process.fault(operation.key, "answer_late", seconds=1.5)
    worker = start(*WORKER)
    start(*BEAT)
    assert in_flight(sandbox_process, operation)
    kill(worker)
    operation.refresh_from_db()
    assert operation.state == State.SENT_UNKNOWN
    start(*WORKER)
    assert is_confirmed(operation)
    assert operation.lookups.filter(result="found").exists()
    assert requests_and_effects(sandbox_process, operation) == (1, 1)
