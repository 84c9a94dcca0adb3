"""Agents on real processes: killed, late, two at once; the receiver counts what truly happened."""

import signal
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from opsconsole.demo.agents.errand import Window
from tests.journeys.errands import VANILLA, an_order, operation_of
from tests.journeys.world import eventually


def test_a_killed_agents_order_is_confirmed_by_lookup_and_never_sent_again(world):
    errand = an_order("order-17")
    world.sandbox.fault("order-17", "lose_reply", seconds=20)
    agent = world.agent(errand)
    eventually(lambda: world.counts("order-17"), lambda seen: seen == (1, 1))
    agent.kill()
    agent.communicate()
    assert agent.returncode == -signal.SIGKILL

    operation = operation_of(world, "order-17")
    assert (operation["state"], operation["executed"]) == ("sent_unknown", None)
    settled = eventually(
        lambda: operation_of(world, "order-17"), lambda seen: seen["state"] == "confirmed"
    )
    assert (settled["grade"], settled["executed"]) == ("receipt", True)

    said, _ = world.agent(errand).communicate(timeout=60)
    [effect] = world.sandbox.ledger("order-17")["effects"]
    assert said == f"confirmed: {effect}\n"
    assert world.counts("order-17") == (1, 1)


@pytest.mark.parametrize(
    ("window", "state", "ending", "requests"),
    [
        (Window.BEFORE_MARK, "ready", "confirmed", 1),
        (Window.BEFORE_CALL, "sent_unknown", "not sent: sent_unknown, wait_for_settlement", 0),
        (Window.BEFORE_REPORT, "sent_unknown", "confirmed", 1),
    ],
)
def test_a_run_after_a_crash_resumes_and_sends_at_most_once(world, window, state, ending, requests):
    key = f"order-{window.name.lower()}"
    dying = world.agent(an_order(key, dies=window))
    dying.communicate(timeout=30)
    assert dying.returncode == -signal.SIGKILL
    assert operation_of(world, key)["state"] == state
    said, _ = world.agent(an_order(key, wait_seconds=10 if requests else 1)).communicate(timeout=90)
    assert said.startswith(ending)
    assert world.counts(key) == (requests, requests)


def test_a_record_that_comes_late_confirms_and_release_says_when_it_opens(world):
    world.sandbox.fault("order-late", "commit_late", seconds=8)
    said, _ = world.agent(an_order("order-late")).communicate(timeout=60)
    assert said.startswith("unknown: ")
    operation = operation_of(world, "order-late")
    assert operation["state"] == "sent_unknown"
    assert world.counts("order-late") == (1, 0)
    waiting = eventually(
        lambda: operation_of(world, "order-late"),
        lambda seen: seen["next_action"]["opens_at"] or seen["state"] == "confirmed",
    )
    assert waiting["state"] == "sent_unknown"
    assert waiting["next_action"]["code"] == "wait_for_settlement"
    settled = eventually(
        lambda: operation_of(world, "order-late"), lambda seen: seen["state"] == "confirmed"
    )
    assert settled["grade"] == "receipt"
    assert world.counts("order-late") == (1, 1)


def test_of_two_claims_at_once_one_wins_and_an_old_tokens_report_changes_nothing(world):
    with world.console() as console, world.api() as api:
        operation = console.register(**an_order("order-two").request())
        path = f"/operations/{operation['id']}"
        gate = Barrier(2)

        def claim(holder: str):
            gate.wait()
            body = {"holder": holder, "version": operation["version"], "lease_seconds": 5}
            return api.post(f"{path}/claims", json=body)

        with ThreadPoolExecutor() as pool:
            answers = sorted(pool.map(claim, ("worker-1", "worker-2")), key=lambda a: a.status_code)
        assert [answer.status_code for answer in answers] == [201, 409]
        assert answers[1].json()["code"] == "already_claimed"
        assert answers[1].json()["operation"]["claim"]["holder"] in ("worker-1", "worker-2")
        old = answers[0].json()["token"]

        eventually(lambda: console.get(operation["id"])["claim"], lambda held: held is None)
        body = {"holder": "worker-3", "version": operation["version"], "lease_seconds": 6}
        new = api.post(f"{path}/claims", json=body).json()["token"]
        assert new > old
        assert api.post(f"{path}/attempts", json={"token": old}).json()["code"] == "stale_claim"
        attempt = api.post(f"{path}/attempts", json={"token": new}).json()
        world.sandbox.post_order("order-two", VANILLA, key=attempt["idempotency_key"])

        receipt = {
            "operation_id": "order-two",
            "payload": VANILLA,
            "status": "confirmed",
            "effect_id": "eff-of-an-old-run",
        }
        late = api.post(f"{path}/receipts", json={"token": old, "receipt": receipt})
        assert (late.status_code, late.json()["code"]) == (409, "stale_claim")
        record = console.get(operation["id"])
        assert record["state"] == "sent_unknown"
        assert "eff-of-an-old-run" in str(record["receipts"])

        settled = eventually(
            lambda: console.get(operation["id"]), lambda seen: seen["state"] == "confirmed"
        )
        [effect] = world.sandbox.ledger("order-two")["effects"]
        confirming = [each for each in settled["receipts"] if each["verdict"] == "confirmed"]
        assert [(each["effect_id"], each["channel"]) for each in confirming] == [(effect, "lookup")]
        assert world.counts("order-two") == (1, 1)
