"""Whether all that a drill plays on is there: console, database, workers, sandbox, and no halt."""

import httpx
from celery import current_app
from django.db import Error

from operations.queries.halts import halt_over
from operations.receivers.base import ReceiverConfig
from operations.registry import DRILL, configuration
from opsconsole.client import ApiProblem, OpsConsole
from opsconsole.drill.failing import CannotDrill

START = "Start the console with `make demo` or `make run`, then drill again."
ANSWERS_WITHIN_SECONDS = 3.0


def the_receiver() -> ReceiverConfig:
    """The sandbox of the environment `drill`. Raises CannotDrill where none is configured."""
    drill = configuration().drill
    if drill is None:
        raise CannotDrill(
            "No receiver with the connector “sandbox” is configured, and drills send to nothing "
            "else. Add one to opsconsole.toml, and start the console again."
        )
    return next(iter(drill.receivers.values()))


def require_all(url: str, receiver: ReceiverConfig) -> None:
    """Raises CannotDrill for the first part that gives no answer, or that holds sends back."""
    _require_answer(f"{url}/readyz", f"The console does not answer at {url}", START)
    _require_answer(
        f"{receiver.base_url}/healthz",
        f"The sandbox receiver does not answer at {receiver.base_url}",
        "It starts with `make demo`; else give its address as SANDBOX_URL.",
    )
    _require_workers()
    _require_no_halt(receiver.name)


def require_own_console(url: str, token: str) -> None:
    """Raises CannotDrill when the console at `url` does not know our token or our environment."""
    try:
        with OpsConsole(url, token, repeat_seconds=0) as console:
            next(console.list(environment=DRILL), None)
    except ApiProblem as problem:
        raise CannotDrill(
            f"The console at {url} is not the one of this database and configuration "
            f"({problem.code}: {problem.detail}) Give its own address with --url, or start it "
            "again if its configuration was changed."
        ) from None


def _require_answer(address: str, what: str, remedy: str) -> None:
    try:
        httpx.get(address, trust_env=False, timeout=ANSWERS_WITHIN_SECONDS).raise_for_status()
    except httpx.HTTPError as error:
        raise CannotDrill(f"{what} ({error or type(error).__name__}). {remedy}") from None


def _require_workers() -> None:
    try:
        answers = current_app.control.ping(timeout=ANSWERS_WITHIN_SECONDS)
    except Exception as error:  # each transport raises its own; any of them means away
        raise CannotDrill(
            f"The broker does not answer ({type(error).__name__}: {error}). {START}"
        ) from None
    if not answers:
        raise CannotDrill(
            f"No worker answered over the broker within {ANSWERS_WITHIN_SECONDS:g} s. {START}"
        )


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
