"""The Python client: marks before each send, calls once, reports, and resumes after a crash.

    with OpsConsole(url, token).effect(
        key="order-17", kind="supplier.order", receiver="sandbox", environment="production",
        payload={"sku": "vanilla", "quantity": 6},
    ) as effect:
        receipt = effect.send(place_order)

`place_order(idempotency_key, payload, timeout_seconds)` makes the call, once, and returns the
receiver's receipt. Needs httpx alone.
"""

import os
import socket
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx

from opsconsole.client_effect import Effect, Patience
from opsconsole.client_errors import ApiProblem, NotSendable, Refused, ReportPending
from opsconsole.client_json import dumps, loads
from opsconsole.client_transport import Transport

__all__ = [
    "ApiProblem",
    "Effect",
    "NotSendable",
    "OpsConsole",
    "Refused",
    "ReportPending",
    "dumps",
    "loads",
]

LONGEST_WAIT_SECONDS = 30


class OpsConsole:
    """One agent's connection to a console. Safe to share between threads.

    `holder` is shown to people as who holds a claim. `timeout_seconds` is for each request; one
    that is safe to repeat is repeated for `repeat_seconds` while the console gives no answer.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        holder: str = "",
        timeout_seconds: float = 10,
        repeat_seconds: float = 10,
        http: httpx.Client | None = None,
    ) -> None:
        self.repeat_seconds = repeat_seconds
        self.holder = holder or f"{socket.gethostname()}:{os.getpid()}"
        self.transport = Transport(url, token, timeout_seconds=timeout_seconds, http=http)

    def effect(
        self,
        *,
        key: str,
        kind: str,
        receiver: str,
        environment: str,
        payload: Any,
        lease_seconds: int = 60,
        wait_seconds: float = 0,
        claim_wait_seconds: float | None = None,
        report_seconds: float = 30,
        **more: Any,
    ) -> Effect:
        """An effect to be sent at most once. Registers on entering, or when `send` is called.

        `wait_seconds`: how long `send` waits for an approval or a settlement before it raises
        NotSendable. `claim_wait_seconds`: how long for another claim to end, an own one from
        before a crash included; by default its lease and a little more. `more`: `goal`,
        `reference`, `context`, `supersedes`, `compensates`.
        """
        request = {
            **more,
            "key": key,
            "kind": kind,
            "receiver": receiver,
            "environment": environment,
            "payload": payload,
        }
        patience = Patience(
            lease_seconds=lease_seconds,
            wait_seconds=wait_seconds,
            claim_wait_seconds=(
                lease_seconds + 5 if claim_wait_seconds is None else claim_wait_seconds
            ),
            report_seconds=report_seconds,
        )
        return Effect(self, request, patience)

    def register(self, **request: Any) -> dict[str, Any]:
        """The operation of this key: a new one, or the same one observed. Raises ApiProblem."""
        return self.transport.call(
            "POST", "/operations", request, repeat_seconds=self.repeat_seconds
        )

    def get(
        self, operation_id: str, *, wait_seconds: float = 0, version: int | None = None
    ) -> dict[str, Any]:
        """The operation with its payload, attempts and receipts.

        With `wait_seconds` (30 at most count) it waits for another version than `version`.
        """
        wait = min(int(wait_seconds), LONGEST_WAIT_SECONDS)
        params = {"wait": str(wait)} if wait > 0 else {}
        if wait > 0 and version is not None:
            params["version"] = str(version)
        return self.transport.call(
            "GET",
            _path(operation_id),
            params=params,
            repeat_seconds=self.repeat_seconds,
            answers_within=wait,
        )

    def list(
        self, *, environment: str = "", key: str = "", state: str = "", page_size: int = 100
    ) -> Iterator[dict[str, Any]]:
        """One's own operations, the oldest first, fetched page by page."""
        wanted = {"environment": environment, "key": key, "state": state}
        params = {name: value for name, value in wanted.items() if value}
        params["limit"] = str(page_size)
        while True:
            page = self.transport.call(
                "GET", "/operations", params=params, repeat_seconds=self.repeat_seconds
            )
            yield from page["items"]
            if not page["next_cursor"]:
                return
            params["cursor"] = page["next_cursor"]

    def lookup(self, operation_id: str) -> dict[str, Any]:
        """Make a lookup due now. Raises ApiProblem no_lookup where the receiver has none."""
        path = f"{_path(operation_id)}/lookups"
        return self.transport.call("POST", path, repeat_seconds=self.repeat_seconds)

    def handoff(self, operation_id: str) -> dict[str, Any]:
        """Goal, state, evidence, known failures and next action, for whoever takes over."""
        path = f"{_path(operation_id)}/handoff"
        return self.transport.call("GET", path, repeat_seconds=self.repeat_seconds)

    def cancel(self, operation_id: str, *, version: int, reason: str) -> dict[str, Any]:
        """Withdraw a request that was never sent."""
        body = {"version": version, "reason": reason}
        return self.transport.call("POST", f"{_path(operation_id)}/cancellation", body)

    def deliver(self, report: dict[str, Any], *, repeat_seconds: float = 30) -> dict[str, Any]:
        """Repeat the report that a ReportPending kept. Raises ApiProblem."""
        return self.transport.call(
            "POST", report["path"], report["body"], repeat_seconds=repeat_seconds
        )

    def close(self) -> None:
        """Close the connections."""
        self.transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _path(operation_id: str) -> str:
    return f"/operations/{quote(operation_id, safe='')}"
