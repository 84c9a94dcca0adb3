"""Arming faults: together, as often as asked, for their own operation only."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import httpx
import pytest

from reconciliation.sandbox.faults import Fault
from reconciliation.sandbox.process import SandboxProcess
from tests.reconciliation.sandbox.conftest import counts


def test_faults_of_different_places_strike_together(sandbox: SandboxProcess, name: str) -> None:
    for fault in ("hide_lookup", "change_payload", "lose_reply"):
        sandbox.fault(name, fault)

    with pytest.raises(httpx.RemoteProtocolError):
        sandbox.post_order(name)

    assert counts(sandbox, name) == (1, 1)
    assert sandbox.order(name).status_code == 404
    sandbox.clear_faults(name)
    assert sandbox.order(name).json()["payload"]["quantity"] == 9


def test_a_fault_strikes_as_often_as_asked_then_no_more(sandbox: SandboxProcess, name: str) -> None:
    sandbox.fault(name, "error_after_commit", times=2)

    assert [sandbox.post_order(name).status_code for _ in range(3)] == [503, 503, 200]


def test_posts_at_the_same_time_count_a_fault_down_together(
    sandbox: SandboxProcess, name: str
) -> None:
    sandbox.fault(name, "error_after_commit", times=7)

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: sandbox.post_order(name, timeout=30), range(20)))

    assert [answer.status_code for answer in answers].count(503) == 7
    assert counts(sandbox, name) == (20, 1)


def test_a_fault_strikes_its_own_operation_and_environment_only(
    sandbox: SandboxProcess, name: str
) -> None:
    sandbox.fault(name, "refuse")

    assert sandbox.post_order(f"{name}-b").status_code == 200
    assert sandbox.post_order(name, environment="staging").status_code == 200
    assert sandbox.post_order(name).status_code == 422


def test_armed_faults_are_listed_and_deleted(sandbox: SandboxProcess, name: str) -> None:
    environment = "arming"
    sandbox.fault(name, "hang", seconds=2.5, environment=environment)
    sandbox.fault(name, "hide_lookup", environment=environment)

    listed = sandbox.call("GET", "/faults", environment=environment).json()["faults"]

    assert listed == [
        {"operation_id": name, "fault": "hang", "seconds": 2.5, "times": 1},
        {"operation_id": name, "fault": "hide_lookup", "seconds": None, "times": None},
    ]
    deleted = sandbox.call("DELETE", f"/faults/{name}", environment=environment)
    assert deleted.json() == {"operation_id": name, "deleted": 2}
    assert sandbox.post_order(name, environment=environment).status_code == 200


@pytest.mark.parametrize("fault", list(Fault))
def test_every_fault_can_be_armed_and_keeps_the_count_of_requests(
    sandbox: SandboxProcess, name: str, fault: Fault
) -> None:
    sandbox.fault(name, fault)

    with suppress(httpx.TransportError):
        sandbox.post_order(name, timeout=0.3)

    requests, effects = counts(sandbox, name)
    assert requests == 1
    assert effects <= 1
