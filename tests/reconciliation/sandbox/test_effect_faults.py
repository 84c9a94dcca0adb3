"""Faults of the effect, its key and its record."""

import pytest

from reconciliation.sandbox.process import SandboxProcess
from tests.reconciliation.sandbox.conftest import counts, eventually


def test_pending_stays_until_the_fault_is_deleted(sandbox: SandboxProcess, name: str) -> None:
    sandbox.fault(name, "pending")

    receipt = sandbox.post_order(name).json()

    assert (receipt["status"], receipt["confirmed"]) == ("pending", False)
    assert sandbox.order(name).json() == receipt
    sandbox.clear_faults(name)
    settled = {**receipt, "status": "confirmed", "confirmed": True}
    assert sandbox.order(name).json() == settled


def test_pending_ends_by_itself_after_its_seconds(sandbox: SandboxProcess, name: str) -> None:
    sandbox.fault(name, "pending", seconds=0.4)

    assert sandbox.post_order(name).json()["status"] == "pending"
    assert eventually(lambda: sandbox.order(name).json()["status"] == "confirmed")


def test_refuse_is_definite_and_stays_with_the_key(sandbox: SandboxProcess, name: str) -> None:
    sandbox.fault(name, "refuse")

    first, again = sandbox.post_order(name), sandbox.post_order(name)

    assert first.status_code == again.status_code == 422
    assert first.json() == again.json()
    assert first.json()["error"]["code"] == "order_refused"
    assert counts(sandbox, name) == (2, 0)
    assert sandbox.order(name).status_code == 404
    assert sandbox.post_order(name, key=f"new-{name}").status_code == 200


def test_refuse_leaves_an_effect_that_was_made_before(sandbox: SandboxProcess, name: str) -> None:
    receipt = sandbox.post_order(name).json()
    sandbox.fault(name, "refuse")

    assert sandbox.post_order(name).json() == receipt


@pytest.mark.parametrize(
    ("payload", "changed"),
    [
        ({"sku": "vanilla", "quantity": 6}, {"sku": "vanilla", "quantity": 9}),
        ({"amount": "9.50"}, {"amount": "9.50 (changed)"}),
        ({"is_gift": True}, {"is_gift": True, "changed": True}),
        ([1], {"changed_from": [1]}),
    ],
)
def test_change_payload_makes_and_shows_another_payload(
    sandbox: SandboxProcess, name: str, payload: object, changed: object
) -> None:
    sandbox.fault(name, "change_payload")

    receipt = sandbox.post_order(name, payload).json()

    assert receipt["payload"] == changed
    assert sandbox.order(name).json() == receipt
    assert sandbox.post_order(name, payload).json() == receipt


def test_ignore_key_makes_a_second_effect_under_one_key(sandbox: SandboxProcess, name: str) -> None:
    sandbox.fault(name, "ignore_key")

    effects = [sandbox.post_order(name).json()["effect_id"] for _ in range(3)]

    assert effects[0] != effects[1] == effects[2]
    assert sandbox.ledger(name) == {"requests": 3, "effects": effects[:2]}


def test_forget_key_makes_a_later_order_a_new_one(sandbox: SandboxProcess, name: str) -> None:
    sandbox.fault(name, "forget_key")

    effects = [sandbox.post_order(name).json()["effect_id"] for _ in range(3)]

    assert effects[0] != effects[1] == effects[2]


def test_forget_key_reaches_a_key_that_was_used_before(sandbox: SandboxProcess, name: str) -> None:
    first = sandbox.post_order(name).json()["effect_id"]
    sandbox.fault(name, "forget_key")

    assert sandbox.post_order(name).json()["effect_id"] != first


def test_forget_key_remembers_for_its_seconds(sandbox: SandboxProcess, name: str) -> None:
    sandbox.fault(name, "forget_key", seconds=0.5)

    first = sandbox.post_order(name).json()

    assert sandbox.post_order(name).json() == first
    assert eventually(lambda: sandbox.post_order(name).json() != first)
    assert len(sandbox.ledger(name)["effects"]) == 2


def test_hide_lookup_hides_from_lookups_and_lists_but_not_from_the_ledger(
    sandbox: SandboxProcess, name: str
) -> None:
    environment = "hiding"
    sandbox.fault(name, "hide_lookup", environment=environment)

    sandbox.post_order(name, environment=environment)

    hidden = [sandbox.order(name, environment=environment) for _ in range(3)]
    assert {answer.status_code for answer in hidden} == {404}
    assert hidden[0].json() == {"error": "not_found", "operation_id": name}
    listed = sandbox.call("GET", "/orders", environment=environment).json()
    assert (listed["orders"], listed["total"]) == ([], 0)
    assert len(sandbox.ledger(name, environment=environment)["effects"]) == 1
    sandbox.clear_faults(name, environment=environment)
    assert sandbox.order(name, environment=environment).json()["operation_id"] == name


def test_hide_lookup_hides_as_often_as_asked(sandbox: SandboxProcess, name: str) -> None:
    sandbox.fault(name, "hide_lookup", times=2)
    assert sandbox.order(name).status_code == 404  # there is nothing to hide yet
    sandbox.post_order(name)

    assert [sandbox.order(name).status_code for _ in range(3)] == [404, 404, 200]


def test_hide_lookup_hides_for_its_seconds(sandbox: SandboxProcess, name: str) -> None:
    sandbox.fault(name, "hide_lookup", seconds=0.5)
    sandbox.post_order(name)

    assert sandbox.order(name).status_code == 404
    assert eventually(lambda: sandbox.order(name).status_code == 200)
