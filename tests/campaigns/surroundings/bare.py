"""An agent on bare HTTP that asks again at once, so that it always meets a database on its way."""

import time
from typing import TYPE_CHECKING, Any

import httpx

from opsconsole.client import ApiProblem

if TYPE_CHECKING:
    from tests.campaigns.surroundings.agents import Agents

AGAIN_AFTER_SECONDS = 0.05
AGAIN_FOR_SECONDS = 20.0
LEASE_SECONDS = 6


def place_bare(agents: "Agents", registration: dict[str, Any], *, is_console: bool) -> None:
    """Register until it is acknowledged; then claim, mark once, send, report until it is told.

    `is_console`: the console sends it, so registering is all. Raises ApiProblem, httpx.HTTPError.
    """
    name = "agent-1" if is_console else "agent-2"
    with agents.witness.client() as http:
        http.base_url = f"{agents.site.url}/api/v1"
        http.headers["Authorization"] = f"Bearer {agents.site.tokens[name]}"
        if is_console:
            _until_told(http, "/operations", registration | {"executor": "console"})
            return
        operation = _until_told(http, "/operations", registration)
        path = f"/operations/{operation['id']}"
        claim = _until_told(http, f"{path}/claims", _claim(operation))
        attempt = _once(http, f"{path}/attempts", {"token": claim["token"]})
        receipt = agents.send(
            registration["key"], attempt["idempotency_key"], attempt["payload"], timeout_seconds=3
        )
        body = {"token": claim["token"], "receipt": receipt}
        _until_told(http, f"{path}/receipts", body)


def _claim(operation: dict[str, Any]) -> dict[str, Any]:
    return {
        "holder": "bare",
        "version": operation["version"],
        "lease_seconds": LEASE_SECONDS,
        "nonce": operation["id"],  # the same claim, however often it is asked for
    }


def _until_told(http: httpx.Client, path: str, body: dict[str, Any]) -> dict[str, Any]:
    ends_at = time.monotonic() + AGAIN_FOR_SECONDS
    while True:
        try:
            return _once(http, path, body)
        except ApiProblem as problem:
            if not problem.is_transient or time.monotonic() > ends_at:
                raise
        time.sleep(AGAIN_AFTER_SECONDS)


def _once(http: httpx.Client, path: str, body: dict[str, Any]) -> dict[str, Any]:
    try:
        answer = http.post(path, json=body)
    except httpx.HTTPError as error:
        raise ApiProblem(code="unreachable", detail=repr(error)) from error
    members: dict[str, Any] = answer.json()
    if answer.is_success:
        return members
    raise ApiProblem(
        code=members["code"], detail=members["detail"], status=answer.status_code, members=members
    )
