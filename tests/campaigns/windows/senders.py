"""The two who send: our dispatcher, and an agent through the Python client. Each may die."""

import os
import signal
from collections.abc import Callable
from typing import Any, NoReturn
from uuid import UUID

import httpx

from operations.actions import dispatch_operation as dispatching
from operations.receivers.sandbox import SandboxReceiver
from opsconsole.client import ApiProblem, NotSendable, OpsConsole, Refused, dumps
from opsconsole.wsgi import application
from tests.campaigns.windows.windows import Death, Window


def die(*args: Any, **kwargs: Any) -> NoReturn:
    """End this process as the kernel ends one: no handler, no cleanup."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("SIGKILL did not end the process")


def then_die(act: Callable[..., Any]) -> Callable[..., Any]:
    """`act`, and death before its caller learns of it."""

    def acting(*args: Any, **kwargs: Any) -> None:
        act(*args, **kwargs)
        die()

    return acting


def dispatch(operation_id: UUID, window: Window) -> str:
    """Our dispatcher sends the operation; it dies where the window says."""
    # This process is a fork made for this one act: what is changed here ends with it.
    if window.death is Death.BEFORE_THE_CALL:
        SandboxReceiver.send = die  # type: ignore[method-assign]
    elif window.death is Death.BEFORE_THE_SAVE:
        SandboxReceiver.send = then_die(SandboxReceiver.send)  # type: ignore[method-assign]
    elif window.death is Death.AFTER_THE_SAVE:
        dispatching.record_outcome = then_die(dispatching.record_outcome)
    return str(dispatching.dispatch_operation(operation_id=operation_id, holder="sender"))


def send_as_agent(
    *, token: str, key: str, receiver: str, payload: Any, url: str, window: Window
) -> str:
    """An agent's process: registers, marks, calls the receiver, reports, as the client does."""

    def call(idempotency_key: str, payload: Any, timeout_seconds: float) -> Any:
        if window.death is Death.BEFORE_THE_CALL:
            die()
        answer = httpx.post(
            f"{url}/orders",
            content=dumps({"operation_id": key, "payload": payload}),
            headers={"Idempotency-Key": idempotency_key, "Content-Type": "application/json"},
            timeout=60 if window.death is Death.DURING_THE_CALL else timeout_seconds,
        )
        if window.death is Death.BEFORE_THE_SAVE:
            die()
        if 400 <= answer.status_code < 500:
            raise Refused(answer.status_code, answer.json()["error"]["code"], answer.content)
        return answer.raise_for_status().json()

    http = httpx.Client(transport=httpx.WSGITransport(app=application))
    console = OpsConsole("http://localhost", token, http=http, repeat_seconds=2)
    effect = console.effect(
        key=key,
        kind="supplier.order",
        receiver=receiver,
        environment="production",
        payload=payload,
        lease_seconds=5,
    )
    try:
        with effect:
            effect.send(call)
    except (Refused, httpx.HTTPError, ValueError):
        pass  # the receiver's answer, which the client has reported
    except (ApiProblem, NotSendable) as problem:
        is_judged = isinstance(problem, ApiProblem) and problem.code == "receipt_mismatch"
        return "sent" if is_judged else f"{type(problem).__name__}: {problem}"
    if window.death is Death.AFTER_THE_SAVE:
        die()
    return "sent"
