"""An agent in a process of its own: it sends one order and stops dead where it is told to.

`python -m tests.opsconsole.client_child '{"url": …, "token": …, "sandbox": …, "key": …,
"window": …}'`: prints the window once it is reached and waits there to be killed; else prints
how it ended, as one line of JSON.
"""

import json
import sys
import time
from typing import Any

import httpx

from opsconsole.client import NotSendable, OpsConsole

WINDOWS_OF_REQUESTS = {"before_mark": "/attempts", "before_report": "/receipts"}


def main(given: dict[str, str]) -> None:
    ending = _run(given)
    if given["window"] == "after_confirmation":
        stop_here("after_confirmation")
    say(json.dumps(ending))


def _run(given: dict[str, str]) -> dict[str, Any]:
    window = given["window"]

    def hold(request: httpx.Request) -> None:
        if request.url.path.endswith(WINDOWS_OF_REQUESTS.get(window, "nowhere")):
            stop_here(window)

    def place(key: str, payload: Any, timeout_seconds: float) -> Any:
        if window == "before_call":
            stop_here(window)
        answer = httpx.post(
            f"{given['sandbox']}/orders",
            json={"operation_id": given["key"], "payload": payload},
            headers={"Idempotency-Key": key},
            timeout=60 if window == "before_response" else timeout_seconds,
        )
        return answer.json()

    http = httpx.Client(event_hooks={"request": [hold]})
    effect = OpsConsole(given["url"], given["token"], http=http).effect(
        key=given["key"],
        kind="supplier.order",
        receiver="sandbox",
        environment="production",
        payload={"sku": "vanilla", "quantity": 6},
        lease_seconds=5,
    )
    try:
        with effect:
            return {"receipt": effect.send(place)}
    except NotSendable as no:
        return {"state": no.operation["state"], "next_action": no.next_action["code"]}


def stop_here(window: str) -> None:
    say(window)
    time.sleep(60)


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
