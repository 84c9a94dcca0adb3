"""One key, one operation: whatever is asked again under it, and however many ask at once."""

import json
from functools import partial
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from operations.actions.dispatch_operation import dispatch_operation
from operations.models import AuditEntry, Operation
from reconciliation.sandbox.process import SandboxProcess
from tests.dispatching import dispatch
from tests.kinds import ANYTHING, allow_anything
from tests.operations.api.caller import VANILLA, Answer, ApiCaller, a_body, a_caller
from tests.receiver import requests_and_effects, sandbox_fixture, sandbox_process_fixture
from tests.together import at_once

__all__ = ["sandbox_fixture", "sandbox_process_fixture"]

pytestmark = pytest.mark.django_db

BY_THE_CONSOLE: dict[str, Any] = {"executor": "console", "payload": VANILLA}


def the_row() -> dict[str, Any]:
    return Operation.objects.values().get()


def test_another_payload_under_a_used_key_is_refused_on_record_and_changes_nothing(
    agent: ApiCaller, sandbox: SandboxProcess
) -> None:
    """Case 9: it is neither sent nor answered as if it were the first one."""
    first = agent.registered(**BY_THE_CONSOLE)
    operation = Operation.objects.get()
    dispatch(operation)
    row = the_row()
    other = {**BY_THE_CONSOLE, "payload": {**VANILLA, "quantity": 7}}
    refused = agent.register(key=first["key"], **other)
    assert refused.is_problem(409, "key_reused")
    assert (the_row(), requests_and_effects(sandbox, operation)) == (row, (1, 1))
    entry = AuditEntry.objects.get(operation=operation, event="key_reused")
    assert entry.detail["differences"] == ["/payload/quantity"]
    again = agent.register(key=first["key"], **BY_THE_CONSOLE)
    assert (again.status, again["id"], again["state"]) == (200, first["id"], "confirmed")
    assert requests_and_effects(sandbox, operation) == (1, 1)


def test_a_dry_run_is_refused_and_reserves_no_key(
    agent: ApiCaller, sandbox: SandboxProcess
) -> None:
    """Case 10: an option that is not known could change what all the rest means."""
    body = a_body(**BY_THE_CONSOLE)
    entries = AuditEntry.objects.count()
    for name in ("dry_run", "simulate"):
        refused = [
            agent.post("/operations", {**body, name: True}),
            agent.post(f"/operations?{name}=true", body),
        ]
        assert [each.is_problem(422, "unknown_field") for each in refused] == [True, True]
    assert not Operation.objects.exists()
    assert AuditEntry.objects.count() == entries
    assert sandbox.ledger(body["key"]) == {"requests": 0, "effects": []}
    real = agent.post("/operations", body)
    assert (real.status, real["executed"]) == (201, False)
    operation = Operation.objects.get()
    dispatch(operation)
    assert requests_and_effects(sandbox, operation) == (1, 1)


def test_the_order_of_members_makes_no_other_payload_and_that_of_an_array_does(
    agent: ApiCaller, settings: Settings
) -> None:
    """Case 12: the value is compared, not its text."""
    allow_anything(settings)

    def register(key: str, payload: str) -> Answer:
        body = json.dumps(a_body(key=key, kind=ANYTHING, payload="HERE"))
        return agent.post("/operations", body.replace('"HERE"', payload))

    first = register("k1", '{"a":1,"b":{"c":2,"d":3}}')
    again = register("k1", '{"b":{"d":3,"c":2},"a":1}')
    assert (first.status, again.status, again["id"]) == (201, 200, first["id"])
    assert register("k2", '{"a":[1,2]}').status == 201
    other = register("k2", '{"a":[2,1]}')
    assert other.is_problem(409, "key_reused")
    assert Operation.objects.count() == 2


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
def test_twenty_posts_at_once_are_one_operation_and_one_effect(sandbox: SandboxProcess) -> None:
    """Case 11: the database holds the key once, and nobody meets an error."""
    agent = a_caller("agent-race")
    body = a_body(**BY_THE_CONSOLE)
    answers = at_once(*[partial(agent.post, "/operations", body)] * 20)
    assert sorted(answer.status for answer in answers) == [200] * 19 + [201]
    operation = Operation.objects.get()
    assert {answer["id"] for answer in answers} == {str(operation.pk)}
    dispatch(operation)
    assert requests_and_effects(sandbox, operation) == (1, 1)


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
def test_two_who_register_and_send_at_once_make_one_call(sandbox: SandboxProcess) -> None:
    """Case 26: the key is won before the call, and the loser gets the winner's operation."""
    agent = a_caller("agent-race")
    body = a_body(**BY_THE_CONSOLE)
    sandbox.fault(body["key"], "answer_late", seconds=0.5)

    def register_and_send() -> str:
        answer = agent.post("/operations", body)
        dispatch_operation(operation_id=answer["id"], holder="worker")
        return str(answer["id"])

    ids = at_once(register_and_send, register_and_send)
    operation = Operation.objects.get()
    assert ids == [str(operation.pk)] * 2
    assert operation.state == "confirmed"
    assert requests_and_effects(sandbox, operation) == (1, 1)
