"""Whether all that a drill plays on is there: console, broker, workers, sandbox, and no halt."""

import time
from contextlib import suppress
from typing import Any
from uuid import uuid4

import httpx
from django.conf import settings
from django.db import Error

from operations.queries.halts import halt_over
from operations.receivers.base import ReceiverConfig
from operations.registry import DRILL, configuration
from opsconsole.client import ApiProblem, OpsConsole
from opsconsole.drill.environment import ORDER
from opsconsole.drill.failing import CannotDrill

START = "Start the console with `make demo` or `make run`, then drill again."
ANSWERS_WITHIN_SECONDS = 10.0
# A worker that is there takes an order at once; a few sweeps more are for a busy one.
TAKEN_WITHIN_SECONDS = 15
TAKEN_WITHIN_SWEEPS = 3


def workers_within_seconds() -> int:
    """How long a worker may take to send the first order."""
    return TAKEN_WITHIN_SECONDS + TAKEN_WITHIN_SWEEPS * settings.SWEEP_SECONDS


def the_receiver() -> ReceiverConfig:
    """The sandbox of the environment `drill`. Raises CannotDrill where none is configured."""
    drill = configuration().drill
    if drill is None:
        raise CannotDrill(
            "No receiver with the connector “sandbox” is configured, and drills send to nothing "
            "else. Add one to opsconsole.toml, and start the console again."
        )
    return next(iter(drill.receivers.values()))


def require_answers(url: str, receiver: ReceiverConfig) -> None:
    """Raises CannotDrill for the first part that gives no answer, or that holds sends back."""
    ready = _answer(f"{url}/readyz", f"The console does not answer at {url}", START)
    if ready.get("broker") != "ok":
        raise CannotDrill(f"The console at {url} does not reach its broker. {START}")
    _answer(
        f"{receiver.base_url}/healthz",
        f"The sandbox receiver does not answer at {receiver.base_url}",
        "It starts with `make demo`; else give its address as SANDBOX_URL.",
    )
    _require_no_halt(receiver.name)


def require_workers(url: str, token: str, receiver: ReceiverConfig) -> None:
    """Raises CannotDrill unless this very console takes an order of ours and its workers send it.

    The order is like any other of a drill; one that nobody took is withdrawn.
    """
    with OpsConsole(url, token, repeat_seconds=0) as console:
        try:
            order = console.register(
                key=f"drill-worker-{uuid4()}",
                kind=ORDER,
                receiver=receiver.name,
                environment=DRILL,
                executor="console",
                payload={"sku": "vanilla", "quantity": 1},
                goal="Show that a worker is there.",
            )
        except ApiProblem as problem:
            raise CannotDrill(
                f"The console at {url} takes no order of a drill ({problem.code}: "
                f"{problem.detail}) Give the address of this database's console with --url; if its "
                "configuration was changed, start it again."
            ) from None
        _await_confirmation(console, order)


def _await_confirmation(console: OpsConsole, order: dict[str, str]) -> None:
    within_seconds = workers_within_seconds()
    ends_at = time.monotonic() + within_seconds
    while (seen := _seen(console, order["id"]))["state"] != "confirmed":
        if time.monotonic() > ends_at:
            with suppress(ApiProblem):  # a worker came after all
                reason = "No worker took it in time."
                console.cancel(order["id"], version=seen["version"], reason=reason)
            raise CannotDrill(
                f"No worker sent an order within {within_seconds} s: it is {seen['state']}. {START}"
            )
        time.sleep(0.2)


def _seen(console: OpsConsole, operation_id: str) -> dict[str, Any]:
    try:
        return console.get(operation_id)
    except ApiProblem as problem:
        raise CannotDrill(
            "The console took an order of a drill, and does not say what became of it "
            f"({problem.code}: {problem.detail}) {START}"
        ) from None


def _answer(address: str, what: str, remedy: str) -> dict[str, str]:
    try:
        answer = httpx.get(address, trust_env=False, timeout=ANSWERS_WITHIN_SECONDS)
        found: dict[str, str] = answer.raise_for_status().json()
    except (httpx.HTTPError, ValueError) as error:
        raise CannotDrill(f"{what} ({error or type(error).__name__}). {remedy}") from None
    return found


def _require_no_halt(receiver: str) -> None:
    try:
        halt = halt_over(environment=DRILL, receiver=receiver)
    except Error as error:
        raise CannotDrill(f"The database does not answer ({error}). {START}") from None
    if halt is not None:
        raise CannotDrill(
            f"Dispatch is halted ({halt}), so no drill could send. Lift the halt under Halts, or "
            "drill when it is over."
        )
