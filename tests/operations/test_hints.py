"""A hint is worth nothing but time: a broker that gives none is left alone for a while."""

import time
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

from operations import clock, hints
from operations.actions.decide_approval import decide_approval
from operations.models import Operation
from operations.protocol.policies import Policy
from operations.queries.due import due_for_dispatch
from operations.tasks import dispatch_operation as run_dispatch
from tests.build import a_console_operation
from tests.dispatching import dispatch
from tests.people import an_approver
from tests.receiver import requests_and_effects, sandbox_fixture, sandbox_process_fixture
from tests.together import meanwhile

__all__ = ["sandbox_fixture", "sandbox_process_fixture"]

pytestmark = pytest.mark.django_db(transaction=True)

HANGS_SECONDS = 0.3


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tasks that were told to a broker that hangs and then gives no answer."""
    asked: list[str] = []

    def send_task(name: str, **_more: Any) -> None:
        asked.append(name)
        time.sleep(HANGS_SECONDS)
        raise OperationalError("Timeout reading from socket")

    monkeypatch.setattr(current_app, "send_task", send_task)
    monkeypatch.setattr(hints._Rest, "until", 0.0)
    return asked


def test_one_lost_hint_is_waited_for_and_the_next_ones_are_not(asked: list[str]) -> None:
    started_at = time.monotonic()
    for _ in range(20):
        hints.dispatch_soon(uuid4())
    assert time.monotonic() - started_at < 2 * HANGS_SECONDS
    assert asked == [hints.DISPATCH]


def waiting_hints(queue: str) -> list[Any]:
    """Every message of one queue, taken from it."""
    with current_app.connection_for_read() as broker:
        channel = broker.channel()
        return list(iter(lambda: channel.basic_get(queue), None))


def test_a_hint_carries_an_id_however_large_the_operation_is(settings, sandbox) -> None:
    """Case 120: no notice of a change has a limit that could undo the change."""
    policy = Policy(name="every mail", kinds=("customer.email",))
    settings.OPSCONSOLE = replace(settings.OPSCONSOLE, policies=(policy,))
    text = "x" * 20_000
    waiting_hints("dispatch")
    operation = a_console_operation(
        kind="customer.email", payload=f'{{"to":"a@b","subject":"s","body":"{text}"}}'
    )
    decide_approval(
        approval_id=operation.approvals.get().pk,
        actor=an_approver(),
        is_yes=True,
        reason="It is right.",
        digest_seen=operation.payload_digest,
    )
    [hint] = waiting_hints("dispatch")
    arguments = hint.decode()[0]
    assert arguments == [str(operation.pk)]
    assert len(hint.body) < 400
    dispatch(operation)
    assert (operation.state, text in operation.payload_text) == ("confirmed", True)
    assert requests_and_effects(sandbox, operation) == (1, 1)


class RolledBack(Exception):
    """Ends a transaction without its commit."""


def test_a_hint_leaves_after_the_commit_and_never_after_a_rollback(sandbox, caplog) -> None:
    """Case 72: a worker that hears too early, or of nothing, has nothing to do."""
    waiting_hints("dispatch")

    def hear_of(operation: Operation) -> list[Any]:
        run_dispatch(str(operation.pk))
        return due_for_dispatch(now=clock.now(), limit=10)

    with transaction.atomic():
        operation = a_console_operation()
        with meanwhile(lambda: hear_of(operation)) as heard:
            assert heard.result() == []
        assert waiting_hints("dispatch") == []
    [hint] = waiting_hints("dispatch")
    run_dispatch(*hint.decode()[0])
    assert requests_and_effects(sandbox, operation) == (1, 1)

    def register_and_roll_back() -> None:
        with transaction.atomic():
            undone.append(a_console_operation())
            raise RolledBack

    undone: list[Operation] = []
    with pytest.raises(RolledBack):
        register_and_roll_back()
    assert waiting_hints("dispatch") == []
    assert hear_of(undone[0]) == []
    assert requests_and_effects(sandbox, undone[0]) == (0, 0)
    ours = [record for record in caplog.records if record.name.startswith("operations")]
    assert {record.levelname for record in ours} == {"INFO"}


def test_hints_are_sent_again_after_the_rest(
    asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hints, "REST_SECONDS", 0.0)
    hints.dispatch_soon(uuid4())
    hints.reconcile_soon(uuid4())
    assert asked == [hints.DISPATCH, hints.RECONCILE]
