"""The receiver as flows need it: what it already has, what it will do, and how it is configured."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import httpx
from django.conf import settings

from operations.models import Operation
from operations.protocol.payloads import parse_json
from operations.registry import receiver
from tests.operations.api.caller import VANILLA

# Nothing listens there, and nothing may: the port of the discard protocol.
NOWHERE = "http://127.0.0.1:9"
# Made once: httpx makes one for each call otherwise, which takes longer than the call.
TLS = ssl.create_default_context()


def place(operation: Operation, payload: Any = None) -> dict[str, Any]:
    """The agent's own call arrives: the receiver makes the effect. Returns its receipt."""
    answer = httpx.post(
        f"{url()}/orders",
        json={"operation_id": operation.key, "payload": payload or VANILLA},
        headers={"Idempotency-Key": operation.idempotency_key},
        verify=TLS,
    )
    receipt: dict[str, Any] = parse_json(answer.content)  # type: ignore[assignment]
    return receipt


def arm(key: str, fault: str, **more: Any) -> None:
    """The next order of this key meets a fault."""
    body = {"operation_id": key, "fault": fault, **more}
    httpx.post(f"{url()}/faults", json=body, verify=TLS).raise_for_status()


@contextmanager
def configured(*, url: str = "", **profile: Any) -> Iterator[None]:
    """The receiver `sandbox`, configured otherwise in this process."""
    before = settings.OPSCONSOLE
    receivers = {
        place: replace(
            config,
            base_url=url or config.base_url,
            profile=replace(config.profile, **profile),
        )
        if config.name == "sandbox"
        else config
        for place, config in before.receivers.items()
    }
    settings.OPSCONSOLE = replace(before, receivers=receivers)
    try:
        yield
    finally:
        settings.OPSCONSOLE = before


def url() -> str:
    """Where it answers."""
    return receiver("sandbox", "production").base_url
