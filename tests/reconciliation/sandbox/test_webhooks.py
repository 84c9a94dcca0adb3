"""Signed webhooks: when they are sent, where to, how often, and that none is lost."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from reconciliation.sandbox.process import SandboxProcess
from tests.reconciliation.sandbox.conftest import SECRET, Delivery, Listener, eventually


def receipts(deliveries: list[Delivery]) -> list[dict[str, Any]]:
    """The receipts of webhooks, after their signatures were verified."""
    bodies = [Webhook(SECRET).verify(each.body, each.headers) for each in deliveries]
    assert {body["type"] for body in bodies} <= {"receipt"}
    return [body["data"] for body in bodies]


def wait_for(listener: Listener, name: str, count: int) -> list[Delivery]:
    """The webhooks of an operation once there are `count`."""
    assert eventually(lambda: len(listener.of(name)) >= count)
    return listener.of(name)


def test_webhook_early_arrives_before_the_answer(
    sandbox: SandboxProcess, listener: Listener, name: str
) -> None:
    sandbox.fault(name, "webhook_early")

    receipt = sandbox.post_order(name).json()
    answered_at = time.monotonic()

    (delivery,) = listener.of(name)
    assert answered_at - delivery.at >= 0.2
    assert delivery.path == "/hooks/production/sandbox"
    assert receipts([delivery]) == [receipt]


def test_webhook_late_arrives_after_its_seconds(
    sandbox: SandboxProcess, listener: Listener, name: str
) -> None:
    sandbox.fault(name, "webhook_late", seconds=0.5)

    receipt = sandbox.post_order(name).json()
    answered_at = time.monotonic()

    assert listener.of(name) == []
    (delivery,) = wait_for(listener, name, 1)
    assert delivery.at - answered_at >= 0.4
    assert receipts([delivery]) == [receipt]


def test_webhook_twice_is_one_message_delivered_twice(
    sandbox: SandboxProcess, listener: Listener, name: str
) -> None:
    sandbox.fault(name, "webhook_twice")

    receipt = sandbox.post_order(name).json()

    both = wait_for(listener, name, 2)
    assert both[0].headers["webhook-id"] == both[1].headers["webhook-id"]
    assert both[0].body == both[1].body
    assert receipts(both) == [receipt, receipt]


def test_webhook_reordered_tells_the_older_state_last(
    sandbox: SandboxProcess, listener: Listener, name: str
) -> None:
    sandbox.fault(name, "webhook_reordered", seconds=0.3)

    receipt = sandbox.post_order(name).json()

    both = wait_for(listener, name, 2)
    assert [each["status"] for each in receipts(both)] == ["confirmed", "pending"]
    assert {each["effect_id"] for each in receipts(both)} == {receipt["effect_id"]}
    assert both[0].headers["webhook-id"] != both[1].headers["webhook-id"]
    first, second = (json.loads(each.body)["timestamp"] for each in both)
    assert first > second, "the event that is delivered last happened first"


def test_webhook_wrong_environment_mixes_them_up_both_ways(
    sandbox: SandboxProcess, listener: Listener, name: str
) -> None:
    sandbox.fault(name, "webhook_wrong_environment")

    sandbox.post_order(name)

    both = wait_for(listener, name, 2)
    said = {(each.path.split("/")[2], receipts([each])[0]["environment"]) for each in both}
    assert said == {("production", "staging"), ("staging", "production")}


def test_no_webhook_is_sent_without_a_fault(
    sandbox: SandboxProcess, listener: Listener, name: str
) -> None:
    sandbox.post_order(name)
    sandbox.fault(f"{name}-b", "webhook_late", seconds=0)
    sandbox.post_order(f"{name}-b")

    wait_for(listener, f"{name}-b", 1)
    assert listener.of(name) == []


def test_with_webhooks_on_every_new_effect_is_told_once(listener: Listener, name: str) -> None:
    with SandboxProcess(webhook_url=listener.url, webhook_secret=SECRET, webhooks=True) as sandbox:
        receipt = sandbox.post_order(name).json()
        sandbox.post_order(name)
        sandbox.post_order(f"{name}-b")
        wait_for(listener, f"{name}-b", 1)
        wait_for(listener, name, 1)

    assert receipts(listener.of(name)) == [receipt]
    assert len(listener.of(f"{name}-b")) == 1


def test_a_webhook_that_was_not_taken_is_sent_again_with_the_same_id(
    sandbox: SandboxProcess, listener: Listener, name: str
) -> None:
    sandbox.fault(name, "webhook_early")
    listener.refused_once.add(name)

    sandbox.post_order(name)

    first, second = wait_for(listener, name, 2)
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert receipts([first, second])[0]["operation_id"] == name


def test_a_webhook_survives_a_kill(listener: Listener, name: str, tmp_path: Path) -> None:
    with SandboxProcess(tmp_path, webhook_url=listener.url, webhook_secret=SECRET) as sandbox:
        sandbox.fault(name, "webhook_late", seconds=0.6)
        sandbox.post_order(name)
        sandbox.restart()

        wait_for(listener, name, 1)


def test_another_secret_does_not_verify(
    sandbox: SandboxProcess, listener: Listener, name: str
) -> None:
    sandbox.fault(name, "webhook_early")
    sandbox.post_order(name)
    (delivery,) = listener.of(name)

    with pytest.raises(WebhookVerificationError):
        Webhook("whsec_YW5vdGhlci1zZWNyZXQtYW5vdGhlci1zZWNyZXQ=").verify(
            delivery.body, delivery.headers
        )
