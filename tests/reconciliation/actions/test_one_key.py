"""One operation is one key on the wire: in every attempt, every lookup and every process."""

import re
from collections.abc import Iterator

import pytest

from operations.actions.dispatch_operation import dispatch_operation
from operations.models import Attempt, Operation
from operations.protocol.states import Executor, LookupResult, State
from reconciliation.actions.reconcile_operation import reconcile_operation
from tests.browsing import Browser
from tests.build import a_console_operation, a_refund, move_back
from tests.campaigns.harness.proxy import Proxy
from tests.receiver import configure, requests_and_effects
from tests.reconciliation.actions.worker_process import last_words, start_worker


@pytest.fixture
def wire(sandbox, settings) -> Iterator[Proxy]:
    """The way to the sandbox, with everything that went over it."""
    with Proxy(("127.0.0.1", sandbox.port)) as proxy:
        configure(settings, url=f"http://127.0.0.1:{proxy.port}")
        yield proxy


def keys_sent(wire: Proxy) -> list[str]:
    """The idempotency keys of all requests, in their order; "" where there was none."""
    found = [re.search(rb"(?i)idempotency-key: (.+?)\r", each) for each in wire.heard]
    return [each[1].decode() if each else "" for each in found]


def paths(wire: Proxy) -> list[bytes]:
    return [heard.split(b" HTTP/1.1")[0] for heard in wire.heard]


def dispatch(operation: Operation) -> None:
    dispatch_operation(operation_id=operation.pk, holder="worker-1")
    operation.refresh_from_db()


def recover(operation: Operation) -> str:
    move_back(operation, 60)
    reconcile_operation(operation_id=operation.pk, holder="worker-2")
    operation.refresh_from_db()
    return operation.state


@pytest.mark.django_db
def test_recovery_asks_again_and_again_under_one_key_and_sends_nothing(wire, sandbox):
    """Case 1: the identity outlives the failure that it is there for."""
    operation = a_refund("50.00", executor=Executor.CONSOLE)
    key = operation.idempotency_key
    sandbox.fault(operation.key, "lose_reply")
    sandbox.fault(operation.key, "hide_lookup", times=2)
    dispatch(operation)
    assert operation.state == State.SENT_UNKNOWN
    states = [recover(operation) for _ in range(3)]
    assert states == [State.SENT_UNKNOWN, State.SENT_UNKNOWN, State.CONFIRMED]
    assert operation.lookups.latest("id").result == LookupResult.FOUND
    assert keys_sent(wire) == [key, "", "", ""]
    assert paths(wire)[1:] == [f"GET /orders/{operation.key}".encode()] * 3
    assert {operation.idempotency_key, Attempt.objects.get().idempotency_key} == {key}
    assert requests_and_effects(sandbox, operation) == (1, 1)


@pytest.mark.django_db
def test_two_operations_and_a_lookup_share_no_key(wire, sandbox):
    """Case 8: nothing of one call stays behind for the next of the same process."""
    first, second = a_console_operation(), a_console_operation()
    sandbox.fault(first.key, "lose_reply")
    dispatch(first)
    assert recover(first) == State.CONFIRMED
    dispatch(second)
    assert keys_sent(wire) == [first.idempotency_key, "", second.idempotency_key]
    _, looked_up, sent = wire.heard
    assert first.idempotency_key.encode() not in looked_up + sent
    assert second.idempotency_key.encode() not in looked_up
    for operation in (first, second):
        assert requests_and_effects(sandbox, operation) == (1, 1)


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
def test_a_new_worker_with_new_secrets_looks_up_under_the_same_key(wire, sandbox, settings):
    """Case 3: no part of a key changes with a credential, a process or a configuration."""
    operation = a_console_operation()
    sandbox.fault(operation.key, "lose_reply")

    def work(what: str, secret: str) -> str:
        worker = start_worker(
            sandbox,
            what,
            operation,
            settings,
            SANDBOX_URL=f"http://127.0.0.1:{wire.port}",
            SANDBOX_WEBHOOK_SECRET=secret,
            SECRET_KEY=f"{secret} and so on, long enough to be one",
        )
        words = last_words(worker)
        operation.refresh_from_db()
        return words

    assert work("sending", "whsec_b25l") == "called"
    assert operation.state == State.SENT_UNKNOWN
    move_back(operation, 60)
    operator = Browser.of("operator")
    operator.send(operator.open(operation), "lookup")
    assert work("looking_up", "whsec_dHdv") == "looked_up"
    assert operation.state == State.CONFIRMED
    assert keys_sent(wire) == [operation.idempotency_key, ""]
    sent, looked_up = wire.heard
    assert f'"operation_id":"{operation.key}"'.encode() in sent
    assert looked_up.startswith(f"GET /orders/{operation.key} ".encode())
    assert requests_and_effects(sandbox, operation) == (1, 1)
