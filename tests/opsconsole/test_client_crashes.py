"""The client's process is killed with SIGKILL in each window of design section 4, and resumes."""

import json
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_django.live_server_helper import LiveServer

from operations.models import AuditEntry, Operation
from reconciliation.actions.reconcile_operation import reconcile_operation
from reconciliation.sandbox.process import SandboxProcess
from tests.build import move_back
from tests.operations.api.caller import ApiCaller
from tests.receiver import eventually

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).parents[2]


@pytest.fixture
def key() -> str:
    """A key of this test alone: the sandbox outlives each of them."""
    return f"crash-{uuid.uuid4()}"


@pytest.fixture
def start(
    live_server: LiveServer, caller: ApiCaller, sandbox: SandboxProcess, key: str
) -> Iterator[Callable[[str], "subprocess.Popen[str]"]]:
    """Start the agent's process; what still runs at the end is killed."""
    started: list[subprocess.Popen[str]] = []

    def run(window: str = "") -> "subprocess.Popen[str]":
        given = {
            "url": live_server.url,
            "token": caller.secret,
            "sandbox": sandbox.url,
            "key": key,
            "window": window,
        }
        command = [sys.executable, "-m", "tests.opsconsole.client_child", json.dumps(given)]
        started.append(subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True))
        return started[-1]

    yield run
    for process in started:
        end(process)


def end(process: "subprocess.Popen[str]") -> None:
    process.kill()
    process.wait()
    if process.stdout:
        process.stdout.close()


def said(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def ending(process: "subprocess.Popen[str]") -> dict[str, Any]:
    line = said(process)
    assert process.wait(timeout=30) == 0
    value: dict[str, Any] = json.loads(line)
    return value


def books(sandbox: SandboxProcess, key: str) -> tuple[int, int]:
    ledger = sandbox.ledger(key)
    return ledger["requests"], len(ledger["effects"])


def settle(operation: Operation) -> None:
    """The send deadline passes, and the real reconciler asks the real receiver."""
    move_back(operation, 60)
    reconcile_operation(operation_id=operation.pk, holder="reconciler")
    operation.refresh_from_db()


def test_killed_before_the_mark_it_waits_out_its_claim_and_sends_once(
    start: Any, sandbox: SandboxProcess, key: str
) -> None:
    process = start("before_mark")
    assert said(process) == "before_mark"
    end(process)
    operation = Operation.objects.get()
    assert (operation.state, operation.claim_given_back) == ("ready", False)
    resumed = ending(start())
    operation.refresh_from_db()
    assert resumed["receipt"]["effect_id"] == operation.effect_id
    assert (operation.state, books(sandbox, key)) == ("confirmed", (1, 1))
    assert operation.claims.count() == 2


def test_killed_before_the_call_it_never_sends(
    start: Any, sandbox: SandboxProcess, key: str
) -> None:
    process = start("before_call")
    assert said(process) == "before_call"
    end(process)
    operation = Operation.objects.get()
    assert operation.state == "sent_unknown"
    assert ending(start()) == {"state": "sent_unknown", "next_action": "wait_for_settlement"}
    assert AuditEntry.objects.filter(event="request_lookup").count() == 1
    assert books(sandbox, key) == (0, 0)
    assert ending(start())["state"] == "sent_unknown"
    assert books(sandbox, key) == (0, 0)


@pytest.mark.parametrize("window", ["before_response", "before_report"])
def test_killed_after_the_receiver_committed_it_observes_until_the_lookup_confirms(
    start: Any, sandbox: SandboxProcess, key: str, window: str
) -> None:
    if window == "before_response":
        sandbox.fault(key, "answer_late", seconds=30)
    process = start(window)
    if window == "before_response":
        assert eventually(lambda: books(sandbox, key) == (1, 1))
    else:
        assert said(process) == window
    end(process)
    operation = Operation.objects.get()
    assert operation.state == "sent_unknown"
    assert ending(start())["state"] == "sent_unknown"
    settle(operation)
    assert operation.state == "confirmed"
    assert ending(start())["receipt"]["effect_id"] == operation.effect_id
    assert books(sandbox, key) == (1, 1)


def test_killed_after_confirmation_it_reads_the_stored_receipt(
    start: Any, sandbox: SandboxProcess, key: str
) -> None:
    process = start("after_confirmation")
    assert said(process) == "after_confirmation"
    end(process)
    operation = Operation.objects.get()
    assert operation.state == "confirmed"
    assert ending(start())["receipt"]["effect_id"] == operation.effect_id
    assert books(sandbox, key) == (1, 1)
