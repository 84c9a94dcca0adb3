"""A dispatcher of a drill, in a process of its own: registers one order, sends it, dies on the way.

`python -m opsconsole.drill.dispatcher`: reads one line of JSON. It runs the console's own dispatch;
where it is to die, one function of that is wrapped, in this process alone. It claims the order in
the transaction that registers it, and its hints go nowhere, so that no worker of the installation
can take the order first.
"""

import json
import os
import signal
import sys
from collections.abc import Callable
from importlib import import_module
from inspect import unwrap
from typing import Any
from uuid import UUID

from opsconsole.drill.agent import die

# Where it ends itself; "before_answer" is waited for, and its parent kills it there.
BEFORE_HINT = "before_hint"
BEFORE_MARK = "before_mark"
BEFORE_CALL = "before_call"
BEFORE_ANSWER = "before_answer"
BEFORE_SAVE = "before_save"
AFTER_CONFIRMATION = "after_confirmation"


def main() -> None:
    """Register, claim and send; say how far that came if it did not end this process."""
    given = json.loads(sys.stdin.readline())
    signal.alarm(int(given["within_seconds"]))  # nobody is left to end an orphan
    import django

    django.setup()
    from django.db import transaction

    from operations.actions.register_operation import register_operation

    _arrange_death(given["dies"])
    dispatching: Any = import_module("operations.actions.dispatch_operation")
    actor, registration = _request(given)
    holder = f"drill/{os.getpid()}"
    with transaction.atomic():
        operation = register_operation(actor=actor, registration=registration).operation
        claim = None if given["dies"] == BEFORE_HINT else _claim(operation.pk, holder)
    dispatching.claim_for_dispatch = lambda **_: claim
    outcome = dispatching.dispatch_operation(operation_id=operation.pk, holder=holder)
    sys.stdout.write(f"{json.dumps({'came': str(outcome)})}\n")


def _claim(operation_id: UUID, holder: str) -> Any:
    """What the dispatch begins with, inside a transaction that is open."""
    from operations.actions.claim_for_dispatch import claim_for_dispatch
    from operations.actors import Actor

    take = unwrap(claim_for_dispatch)
    claim = take(operation_id=operation_id, holder=holder, actor=Actor.system("dispatcher"))
    if claim is None:
        sys.exit("expected to claim the order that was just registered, got none")
    return claim


def _request(given: dict[str, Any]) -> tuple[Any, Any]:
    from operations.actions.registration import Registration
    from operations.actors import Actor
    from operations.models import Agent
    from operations.protocol.payloads import dumps, parse_json
    from operations.protocol.states import Executor
    from operations.registry import DRILL_AGENT

    agent = Agent.objects.get(name=DRILL_AGENT)
    actor = Actor.agent(
        agent_id=agent.pk,
        name=agent.name,
        owner_id=agent.responsible_id,
        responsible_id=agent.responsible_id,
    )
    request = {**given["request"], "payload": parse_json(dumps(given["request"]["payload"]))}
    return actor, Registration(**request, executor=Executor.CONSOLE)


def _arrange_death(point: str) -> None:
    from celery import current_app

    from operations.receivers.sandbox import SandboxReceiver

    dispatching: Any = import_module("operations.actions.dispatch_operation")
    current_app.conf.broker_url = "memory://"
    wrapped: dict[str, tuple[Any, str, Callable[..., Any]]] = {
        BEFORE_HINT: (current_app, "send_task", _die),
        BEFORE_MARK: (dispatching, "mark_attempt", _die),
        BEFORE_CALL: (SandboxReceiver, "send", _die),
        BEFORE_SAVE: (SandboxReceiver, "send", _then_die(SandboxReceiver.send)),
        AFTER_CONFIRMATION: (
            dispatching,
            "record_outcome",
            _then_die(dispatching.record_outcome),
        ),
    }
    if point in wrapped:
        setattr(*wrapped[point])


def _die(*args: Any, **kwargs: Any) -> None:
    die()


def _then_die(done: Callable[..., Any]) -> Callable[..., Any]:
    """`done`, and the end before its caller learns of it."""

    def act(*args: Any, **kwargs: Any) -> None:
        done(*args, **kwargs)
        die()

    return act


if __name__ == "__main__":
    main()
