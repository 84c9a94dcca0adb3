"""The sandbox as the seed talks to it: one connection, real orders, real faults."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote

import httpx

from operations.models import Operation
from operations.protocol.payloads import dumps, parse_json
from operations.receivers.sandbox import SandboxReceiver


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back. `status` 0 and an empty body: nothing did."""

    status: int
    raw: bytes

    @property
    def value(self) -> Any:
        """The body as JSON."""
        return parse_json(self.raw)

    @property
    def code(self) -> str:
        """The receiver's own error code, or nothing."""
        error = json.loads(self.raw).get("error", {}) if self.status >= 400 else {}
        return error.get("code", "") if isinstance(error, dict) else str(error)


class Sandbox:
    """A running sandbox receiver."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._http = httpx.Client(base_url=url, trust_env=False, timeout=10)

    def close(self) -> None:
        """Close the connection."""
        self._http.close()

    def order(
        self,
        operation: Operation,
        *,
        fault: str,
        fault_seconds: float | None,
        occurred_at: datetime,
    ) -> Answer:
        """Send the operation, once, with the fault armed before.

        A receipt comes back with the instant at which this happened in the story.
        """
        if fault:
            self.arm(operation, fault, seconds=fault_seconds)
        request = SandboxReceiver(base_url=self.url, environment=operation.environment).render(
            key=operation.key,
            idempotency_key=operation.idempotency_key,
            payload_text=operation.payload_text,
            environment=operation.environment,
        )
        try:
            answer = self._http.request(
                request.method, request.url, headers=dict(request.headers), content=request.body
            )
        except httpx.TransportError:
            return Answer(status=0, raw=b"")
        if answer.status_code != httpx.codes.OK:
            return Answer(status=answer.status_code, raw=answer.content)
        value = {**parse_json(answer.content), "occurred_at": occurred_at.isoformat()}
        return Answer(status=answer.status_code, raw=dumps(value).encode())

    def arm(self, operation: Operation, fault: str, *, seconds: float | None = None) -> None:
        """Arm one fault for an operation."""
        body: dict[str, Any] = {"operation_id": operation.key, "fault": fault}
        if seconds is not None:
            body["seconds"] = seconds
        headers = {"Environment": operation.environment}
        self._http.post("/faults", json=body, headers=headers).raise_for_status()

    def disarm(self, operation: Operation) -> None:
        """Delete every fault of an operation."""
        headers = {"Environment": operation.environment}
        path = f"/faults/{quote(operation.key, safe='')}"
        self._http.delete(path, headers=headers).raise_for_status()
