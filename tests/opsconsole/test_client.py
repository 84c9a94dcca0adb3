"""The client: one mark, one call, one report, and every ending told as it is."""

import threading
import time
from contextlib import suppress
from typing import Any

import pytest
from django.db import connection

from operations.actions.decide_approval import decide_approval
from operations.models import Approval, AttemptEnd, Operation
from opsconsole.client import ApiProblem, NotSendable, OpsConsole, Refused
from reconciliation.sandbox.process import SandboxProcess
from tests.build import a_person, as_actor
from tests.operations.api.caller import ApiCaller
from tests.opsconsole.client_calls import Calls, order, placing, receipt
from tests.opsconsole.conftest import Wire

pytestmark = pytest.mark.django_db(transaction=True)
REFUND = {"order": "A-1", "amount": "950.00", "currency": "EUR", "reason": "damaged"}


def test_it_marks_calls_once_and_confirms(
    console: OpsConsole, sandbox: SandboxProcess, wire: Wire
) -> None:
    place = placing(sandbox, "c-1")
    with console.effect(**order("c-1")) as effect:
        got = effect.send(place)
    assert got["effect_id"] == sandbox.ledger("c-1")["effects"][0]
    ((key, payload, timeout_seconds),) = place.given
    assert (key, payload) == (effect_key(), {"sku": "vanilla", "quantity": 6})
    assert 0 < timeout_seconds <= 2
    assert (effect.operation["state"], effect.verdict) == ("confirmed", "confirmed")
    assert [line.rsplit("/", 1)[1] for line in wire.seen if "POST" in line] == [
        *("operations", "claims", "attempts", "receipts"),
    ]


def effect_key() -> str:
    return Operation.objects.get().idempotency_key


def test_a_confirmed_effect_returns_its_stored_receipt_without_a_call(
    console: OpsConsole, sandbox: SandboxProcess
) -> None:
    with console.effect(**order("c-2")) as effect:
        first = effect.send(placing(sandbox, "c-2"))
    again = Calls()
    with console.effect(**order("c-2")) as effect:
        stored = effect.send(again)
    assert again.given == []
    assert (stored["effect_id"], stored["payload"]) == (first["effect_id"], first["payload"])
    assert stored["status"] == "confirmed"
    assert sandbox.ledger("c-2")["requests"] == 1


def test_a_node_that_runs_again_from_its_start_sends_nothing_again(
    console: OpsConsole, caller: ApiCaller, sandbox: SandboxProcess
) -> None:
    """Case 77: a resumed graph asks for the same operation; one without a key is refused."""
    lost = placing(sandbox, "c-22")

    def node(call: Calls) -> dict[str, Any]:
        with console.effect(**order("c-22")) as effect:
            with suppress(NotSendable, ValueError):
                effect.send(call)
            return effect.operation

    def place_and_stop(key: str, payload: Any) -> None:
        lost(key, payload, 1)
        raise ValueError("the run is paused")

    paused = node(Calls(place_and_stop))
    again = Calls()
    resumed = node(again)
    assert (paused["state"], resumed["state"]) == ("sent_unknown", "sent_unknown")
    assert (resumed["id"], Operation.objects.count()) == (paused["id"], 1)
    assert again.given == []
    ledger = sandbox.ledger("c-22")
    assert (ledger["requests"], len(ledger["effects"])) == (1, 1)
    body = order("c-22")
    del body["key"]
    refused = caller.post("/operations", body)
    assert refused.is_problem(422, "invalid_payload")
    assert (refused["field"], Operation.objects.count()) == ("key", 1)
    with pytest.raises(TypeError, match="key"):
        console.effect(**body)


def test_a_refusal_is_reported_and_raised(console: OpsConsole) -> None:
    refuse = Calls(Refused(422, "order_refused", b"no \xff"))
    with console.effect(**order("c-3")) as effect, pytest.raises(Refused) as refused:
        effect.send(refuse)
    assert refused.value.operation is not None
    assert (refused.value.operation["state"], refused.value.verdict) == ("refused", "kept")
    assert bytes(AttemptEnd.objects.get().raw) == rb"no \xff"


@pytest.mark.parametrize("error", [ValueError("boom"), KeyboardInterrupt(), SystemExit(3)])
def test_any_other_ending_is_reported_unknown_and_raised(
    console: OpsConsole, error: BaseException
) -> None:
    with console.effect(**order("c-4")) as effect, pytest.raises(type(error)):
        effect.send(Calls(error))
    assert effect.operation["state"] == "sent_unknown"
    end = AttemptEnd.objects.get()
    assert (end.outcome, end.detail) == ("unknown", f"{type(error).__name__}: {error}")


def test_after_an_unknown_outcome_it_never_sends_again(
    console: OpsConsole, caller: ApiCaller
) -> None:
    with console.effect(**order("c-5")) as effect, pytest.raises(ValueError, match="boom"):
        effect.send(Calls(ValueError("boom")))
    again = Calls()
    with console.effect(**order("c-5")) as effect, pytest.raises(NotSendable) as no:
        effect.send(again)
    assert again.given == []
    assert no.value.operation["state"] == "sent_unknown"
    assert no.value.next_action["code"] == "wait_for_settlement"


def test_a_mismatching_receipt_is_kept_and_raised(console: OpsConsole) -> None:
    other = receipt("c-6", payload={"sku": "vanilla", "quantity": 60})
    with console.effect(**order("c-6")) as effect, pytest.raises(ApiProblem) as problem:
        effect.send(Calls(other))
    assert problem.value.code == "receipt_mismatch"
    assert problem.value.differences[0]["pointer"] == "/quantity"
    assert effect.operation["open_reviews"] == ["receipt_mismatch"]


def test_a_pending_receipt_is_returned_and_proves_nothing(console: OpsConsole) -> None:
    with console.effect(**order("c-7")) as effect:
        got = effect.send(Calls(receipt("c-7", status="pending")))
    assert (got["status"], effect.verdict) == ("pending", "not_proof")
    assert effect.operation["state"] == "sent_unknown"


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (None, ApiProblem),
        ("ok", ApiProblem),
        ({"status": "done"}, ApiProblem),
        (object(), TypeError),
    ],
)
def test_what_is_no_receipt_is_reported_unknown_with_its_text(
    console: OpsConsole, answer: Any, error: type[Exception]
) -> None:
    with console.effect(**order("c-8")) as effect, pytest.raises(error):
        effect.send(Calls(answer))
    end = AttemptEnd.objects.get()
    assert end.outcome == "unknown"
    assert bytes(end.raw)


def test_it_waits_for_another_claim_to_end(console: OpsConsole, sandbox: SandboxProcess) -> None:
    operation = console.register(**order("c-15"))
    body = {"holder": "before the crash", "version": operation["version"], "lease_seconds": 5}
    console.transport.call("POST", f"/operations/{operation['id']}/claims", body)
    began = time.monotonic()
    with console.effect(**order("c-15")) as effect:
        effect.send(placing(sandbox, "c-15"))
    assert 3 < time.monotonic() - began < 20
    assert sandbox.ledger("c-15")["requests"] == 1


def test_it_does_not_wait_for_ever(console: OpsConsole) -> None:
    operation = console.register(**order("c-16"))
    body = {"holder": "another", "version": operation["version"], "lease_seconds": 300}
    console.transport.call("POST", f"/operations/{operation['id']}/claims", body)
    effect = console.effect(**order("c-16"), claim_wait_seconds=0.6)
    with effect, pytest.raises(NotSendable) as no:
        effect.send(Calls())
    assert no.value.operation["claim"]["holder"] == "another"
    assert no.value.next_action["opens_at"] == no.value.operation["claim"]["expires_at"]


def refund(key: str) -> dict[str, Any]:
    return order(key, kind="payment.refund", payload=REFUND)


def test_a_request_that_waits_for_people_is_not_sendable(console: OpsConsole) -> None:
    with console.effect(**refund("c-17")) as effect, pytest.raises(NotSendable) as no:
        effect.send(Calls())
    assert no.value.next_action["code"] == "wait_for_approval"
    assert Approval.objects.get().asked_count == 1


def test_it_can_wait_for_the_yes_and_then_sends_once(console: OpsConsole) -> None:
    def approve() -> None:
        time.sleep(0.7)
        request = Approval.objects.get()
        decide_approval(
            approval_id=request.pk,
            actor=as_actor(a_person("anna", "approver")),
            is_yes=True,
            reason="fine",
            digest_seen=request.payload_digest,
        )
        connection.close()

    approver = threading.Thread(target=approve)
    approver.start()
    with console.effect(**refund("c-18"), wait_seconds=15) as effect:
        got = effect.send(Calls(receipt("c-18", payload=REFUND)))
    approver.join()
    assert (got["effect_id"], effect.operation["state"]) == ("c-18", "confirmed")


@pytest.mark.parametrize("wait_seconds", [0, 20])
def test_what_was_withdrawn_is_not_sendable(console: OpsConsole, wait_seconds: float) -> None:
    operation = console.register(**order("c-19"))
    console.cancel(operation["id"], version=operation["version"], reason="not needed")
    effect = console.effect(**order("c-19"), wait_seconds=wait_seconds)
    with effect, pytest.raises(NotSendable) as no:
        effect.send(Calls())
    assert no.value.next_action["code"] == "done"


def test_a_claim_that_was_not_used_is_given_back(
    console: OpsConsole, monkeypatch: pytest.MonkeyPatch
) -> None:
    from operations import clock
    from operations.models import Halt

    Halt.objects.create(reason="counting", at=clock.now())
    console.register(**order("c-20"))
    with console.effect(**order("c-20")) as effect, pytest.raises(NotSendable) as no:
        effect.send(Calls())
    assert no.value.next_action["code"] == "ask_person"


def test_another_payload_under_the_key_is_a_problem_with_differences(console: OpsConsole) -> None:
    console.register(**order("c-21"))
    other = order("c-21", payload={"sku": "vanilla", "quantity": 7})
    with pytest.raises(ApiProblem) as problem, console.effect(**other):
        pass
    assert (problem.value.code, problem.value.status) == ("key_reused", 409)
    assert problem.value.differences
    assert problem.value.operation is not None
