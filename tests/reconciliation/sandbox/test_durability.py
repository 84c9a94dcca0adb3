"""What was answered, or only counted, is there after SIGKILL."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import httpx
import pytest

from reconciliation.sandbox.process import ROOT, SandboxProcess
from tests.reconciliation.sandbox.conftest import eventually


def test_orders_keys_and_faults_survive_a_kill(own_sandbox: SandboxProcess, name: str) -> None:
    receipt = own_sandbox.post_order(name).json()
    own_sandbox.fault(f"{name}-b", "refuse")
    url = own_sandbox.url

    own_sandbox.restart()

    assert own_sandbox.url == url
    assert own_sandbox.ledger(name) == {"requests": 1, "effects": [receipt["effect_id"]]}
    assert own_sandbox.post_order(name).json() == receipt
    assert own_sandbox.post_order(f"{name}-b").status_code == 422


def test_a_late_commit_survives_a_kill(own_sandbox: SandboxProcess, name: str) -> None:
    own_sandbox.fault(name, "commit_late", seconds=0.6, environment="staging")
    with pytest.raises(httpx.RemoteProtocolError):
        own_sandbox.post_order(name, environment="staging")

    own_sandbox.restart()

    assert own_sandbox.ledger(name, environment="staging")["effects"] == []
    assert eventually(lambda: own_sandbox.ledger(name, environment="staging")["effects"])
    assert own_sandbox.ledger(name, environment="staging")["requests"] == 1


def test_an_order_killed_while_its_answer_waits_is_committed(
    own_sandbox: SandboxProcess, name: str
) -> None:
    own_sandbox.fault(name, "answer_late", seconds=30)
    with pytest.raises(httpx.ReadTimeout):
        own_sandbox.post_order(name, timeout=0.3)

    own_sandbox.restart()

    assert own_sandbox.order(name).json()["status"] == "confirmed"


def test_what_was_answered_outlives_kills_in_the_middle_of_orders(
    own_sandbox: SandboxProcess, name: str
) -> None:
    answered: list[dict[str, str]] = []
    for round_number in range(4):
        orders = [f"{name}-{round_number}-{number}" for number in range(60)]
        _kill_in_the_middle_of(own_sandbox, orders, answered)
        ledgers = [own_sandbox.ledger(order) for order in orders]
        assert sum(each["requests"] for each in ledgers) < len(orders), "the kill came late"
        assert all(len(each["effects"]) <= each["requests"] <= 1 for each in ledgers)

    assert len(answered) >= 4 * 8
    for receipt in answered:
        ledger = own_sandbox.ledger(receipt["operation_id"])
        assert ledger == {"requests": 1, "effects": [receipt["effect_id"]]}


def test_it_ends_with_its_starter_even_when_that_is_killed() -> None:
    script = (
        "from reconciliation.sandbox.process import SandboxProcess\n"
        "import sys; sandbox = SandboxProcess().start()\n"
        "print(sandbox.url, flush=True); sys.stdin.read()"
    )
    starter = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert starter.stdout is not None
    url = starter.stdout.readline().strip()
    assert _answers(url)

    os.kill(starter.pid, signal.SIGKILL)
    starter.communicate()

    assert eventually(lambda: not _answers(url))


def test_a_port_in_use_is_said_in_a_sentence(sandbox: SandboxProcess, tmp_path: object) -> None:
    command = [sys.executable, "-m", "reconciliation.sandbox"]
    command += ["--port", str(sandbox.port), "--store", str(tmp_path)]

    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert ended.returncode == 2
    assert ended.stderr == (
        f"sandbox receiver: --port: expected a free port, got {sandbox.port}: "
        "Address already in use\n"
    )


def _kill_in_the_middle_of(
    sandbox: SandboxProcess, orders: list[str], answered: list[dict[str, str]]
) -> None:
    enough = len(answered) + 8
    with ThreadPoolExecutor(4) as senders:
        for order in orders:
            senders.submit(_post, sandbox, order, answered)
        eventually(lambda: len(answered) >= enough)
        sandbox.kill()
        senders.shutdown(cancel_futures=True)
    sandbox.start()


def _post(sandbox: SandboxProcess, order: str, answered: list[dict[str, str]]) -> None:
    with suppress(httpx.TransportError):
        answered.append(sandbox.post_order(order).json())


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz", trust_env=False, timeout=2).is_success
    except httpx.TransportError:
        return False
