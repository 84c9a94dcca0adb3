"""An agent of a drill, in a process of its own: does what each line of its standard input says.

`python -m opsconsole.drill.agent`: the first line is where to go, each further one an act. Every
act is answered by one line of JSON, unless it kills the process.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import httpx

from opsconsole.client import ApiProblem, NotSendable, OpsConsole, dumps, loads

# The windows in which an agent ends itself; in the others its parent kills it.
BEFORE_MARK = "before_mark"
BEFORE_CALL = "before_call"
BEFORE_REPORT = "before_report"
AFTER_CONFIRMATION = "after_confirmation"


class Agent:
    """One agent with one operation. Each public method is an act; its result is the answer."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._sandbox: str = given["sandbox"]
        self._request: dict[str, Any] = given["request"]
        self._lease_seconds: int = given["lease_seconds"]
        self._console = OpsConsole(given["url"], given["token"], holder=f"drill/{os.getpid()}")
        self._operation: dict[str, Any] = {}
        self._token: int | None = None
        self._receipt: Any = None
        self._call_count = 0

    def effect(
        self, *, dies: str = "", wait_seconds: float = 0, changes: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """The whole of it, through the client; `changes` falsify the receipt's payload."""

        def call(key: str, payload: Any, timeout_seconds: float) -> Any:
            if dies == BEFORE_CALL:
                die()
            receipt = self._post(key, payload, timeout_seconds)
            if dies == BEFORE_REPORT:
                die()
            return receipt | {"payload": {**payload, **changes}} if changes else receipt

        with self._console.effect(
            **self._request, lease_seconds=self._lease_seconds, wait_seconds=wait_seconds
        ) as effect:
            if dies == BEFORE_MARK:
                self._operation = effect.operation
                self.claim()
                die()
            try:
                receipt = effect.send(call)
            except NotSendable as no:
                return {"ended": "not_sendable", "calls": self._call_count, **_seen(no.operation)}
        if dies == AFTER_CONFIRMATION:
            die()
        return {"ended": "returned", "calls": self._call_count, "effect_id": receipt["effect_id"]}

    def register(self) -> dict[str, Any]:
        """Ask for it, or observe it."""
        self._operation = self._console.register(**self._request)
        return _seen(self._operation)

    def claim(self, *, lease_seconds: int | None = None) -> dict[str, Any]:
        """One try to claim the version that was seen."""
        body = {
            "holder": self._console.holder,
            "version": self._operation["version"],
            "lease_seconds": lease_seconds or self._lease_seconds,
        }
        self._token = self._call("claims", body)["token"]
        return {"token": self._token}

    def mark(self) -> dict[str, Any]:
        """One try to mark under the token that is held."""
        return {"generation": self._call("attempts", {"token": self._token})["generation"]}

    def send(self) -> dict[str, Any]:
        """Mark, and make the one call while the send deadline is ahead (rule 9)."""
        began_at = time.monotonic()
        attempt = self._call("attempts", {"token": self._token})
        left = attempt["send_within_seconds"] - (time.monotonic() - began_at)
        if left <= 0:
            return {"error": "the send deadline was over before the call"}
        self._receipt = self._post(attempt["idempotency_key"], attempt["payload"], left)
        return {"effect_id": self._receipt["effect_id"]}

    def look(self) -> dict[str, Any]:
        """Learn the receipt from the receiver's record, as somebody who came late."""
        path = f"{self._sandbox}/orders/{quote(self._request['key'], safe='')}"
        answer = httpx.get(path, headers=self._headers(), timeout=10, trust_env=False)
        self._receipt = loads(answer.raise_for_status().content)
        return {"effect_id": self._receipt["effect_id"]}

    def report(self) -> dict[str, Any]:
        """Report the receipt under the token that was once given."""
        answer = self._call("receipts", {"token": self._token, "receipt": self._receipt})
        return {"verdict": answer["verdict"]}

    def _call(self, noun: str, body: dict[str, Any]) -> dict[str, Any]:
        path = f"/operations/{self._operation['id']}/{noun}"
        return self._console.transport.call("POST", path, body)

    def _post(self, key: str, payload: Any, timeout_seconds: float) -> Any:
        self._call_count += 1
        answer = httpx.post(
            f"{self._sandbox}/orders",
            content=dumps({"operation_id": self._request["key"], "payload": payload}),
            headers=self._headers() | {"Content-Type": "application/json", "Idempotency-Key": key},
            timeout=timeout_seconds,
            trust_env=False,
        )
        return loads(answer.raise_for_status().content)

    def _headers(self) -> dict[str, str]:
        return {"Environment": self._request["environment"]}


def die() -> None:
    """End this process as the kernel's out-of-memory killer would: nothing runs after this."""
    os.kill(os.getpid(), signal.SIGKILL)


def _seen(operation: dict[str, Any]) -> dict[str, Any]:
    return {
        "state": operation["state"],
        "version": operation["version"],
        "next_action": operation["next_action"]["code"],
        "approval": operation["approval"],
    }


def _answer(act: Callable[..., dict[str, Any]], given: dict[str, Any]) -> dict[str, Any]:
    try:
        return act(**given)
    except ApiProblem as problem:
        return {
            "problem": problem.code,
            "status": problem.status,
            "detail": problem.detail,
            "differences": len(problem.differences),
        }
    except httpx.HTTPError as error:
        return {"error": f"{type(error).__name__}: {error}"}


def main() -> None:
    """Go on until there is no further line, or the time that was given is over."""
    given = json.loads(sys.stdin.readline())
    signal.alarm(int(given["within_seconds"]))  # nobody is left to end an orphan
    agent = Agent(given)
    for line in sys.stdin:
        act = json.loads(line)
        answer = _answer(getattr(agent, act.pop("do")), act)
        sys.stdout.write(f"{json.dumps(answer)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
