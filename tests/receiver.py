"""A real sandbox receiver behind the configured receiver `sandbox`, with short times."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from operations.models import Operation
from reconciliation.sandbox.process import SandboxProcess
from tests.signing import SECRET

SHORT = {
    "send_within_seconds": 2,
    "lookup_lag_seconds": 0,
    "delivery_delay_seconds": 1,
    "lookup_interval_seconds": 1,
}


@pytest.fixture(scope="session", name="sandbox_process")
def sandbox_process_fixture() -> Iterator[SandboxProcess]:
    """One process for the whole run; its orders are told apart by their keys."""
    with SandboxProcess() as process:
        yield process


@pytest.fixture(name="sandbox")
def sandbox_fixture(sandbox_process: SandboxProcess, settings: Settings) -> SandboxProcess:
    """The sandbox, configured as the receiver `sandbox` of both environments."""
    configure(settings, url=sandbox_process.url)
    return sandbox_process


def configure(
    settings: Settings, *, url: str | None = None, secret: str = SECRET, **profile: Any
) -> None:
    """Change the address, the secret or the profile of the receiver `sandbox` for one test."""
    receivers = dict(settings.OPSCONSOLE.receivers)
    for place, config in receivers.items():
        if config.name == "sandbox":
            receivers[place] = replace(
                config,
                base_url=url or config.base_url,
                webhook_secret=secret,
                profile=replace(config.profile, **(SHORT if url else {}), **profile),
            )
    settings.OPSCONSOLE = replace(settings.OPSCONSOLE, receivers=receivers)


def requests_and_effects(sandbox: SandboxProcess, operation: Operation) -> tuple[int, int]:
    """What truly happened for one operation: (R, E) of the sandbox's ledger."""
    ledger = sandbox.ledger(operation.key, environment=operation.environment)
    return ledger["requests"], len(ledger["effects"])


def eventually[T](ask: Callable[[], T], *, within_seconds: float = 8) -> T:
    """Ask until the answer is true, and return it; the last answer when the time is over."""
    ends_at = time.monotonic() + within_seconds
    while not (answer := ask()) and time.monotonic() < ends_at:
        threading.Event().wait(0.05)
    return answer
