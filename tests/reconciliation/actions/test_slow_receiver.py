"""A receiver that takes its time holds a thread of its own, and nothing that others need."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from operations.models import AuditEntry, Operation
from operations.protocol.states import State
from tests.browsing import Browser
from tests.build import a_console_operation
from tests.people import an_unknown_outcome
from tests.receiver import eventually, requests_and_effects
from tests.reconciliation.actions.worker_process import ROOT, end

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.race]

CALLS = 30
TAKES_SECONDS = 5
CONNECTIONS = 10
LONG_IN_TRANSACTION = """
    SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'
        AND state_change < clock_timestamp() - interval '1 s'
"""


@pytest.fixture
def start(settings) -> Iterator[Callable]:
    """Start a process with a thread for each of these operations, and a pool of connections."""
    started = []

    def start(operations: list[Operation], sandbox_url: str) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "tests.reconciliation.actions.busy_workers"]
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "opsconsole.settings",
            "OPSCONSOLE_DATA": str(settings.OPSCONSOLE_DATA),
            "CELERY_BROKER_URL": "memory://",
            "SANDBOX_URL": sandbox_url,
            "DATABASE_POOL_SIZE": str(CONNECTIONS),
        }
        command += [str(each.pk) for each in operations]
        started.append(subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE))
        return started[-1]

    yield start
    for process in started:
        end(process)


def seconds(act: Callable[[], object]) -> float:
    began_at = time.monotonic()
    act()
    return time.monotonic() - began_at


def test_thirty_slow_calls_hold_neither_a_transaction_nor_a_connection(sandbox, start, connect_as):
    """Case 123: lists and decisions go on, and a pool of ten is enough for all."""
    operations = [a_console_operation() for _ in range(CALLS)]
    for operation in operations:
        sandbox.fault(operation.key, "answer_late", seconds=TAKES_SECONDS)
    operator, case = Browser.of("operator"), an_unknown_outcome()
    shown = operator.open(case)
    onlooker = connect_as("superuser")
    onlooker.autocommit = True
    workers = start(operations, sandbox.url)
    assert eventually(lambda: in_flight() == CALLS, within_seconds=30)
    for url in ("/operations/", "/", "/audit/"):
        assert seconds(lambda url=url: operator.get(url)) < 1
    assert seconds(lambda: operator.send(shown, "case", lease_seconds="3600")) < 1
    assert AuditEntry.objects.filter(operation=case, event="take_case").exists()
    assert onlooker.execute(LONG_IN_TRANSACTION).fetchone() == (0,)
    assert in_flight() == CALLS, "the decisions were made during the calls"
    said = json.loads(workers.communicate(timeout=60)[0])
    assert said == {"outcomes": ["called"] * CALLS, "limit": "30s"}
    assert {requests_and_effects(sandbox, each) for each in operations} == {(1, 1)}
    assert Operation.objects.filter(state=State.CONFIRMED).count() == CALLS


def in_flight() -> int:
    sent = Operation.objects.filter(state=State.SENT_UNKNOWN, executor="console")
    return sent.filter(attempts__ends=None).count()
