"""One agent process: it brings one effect about through the client, or dies in the middle.

`python -m opsconsole.demo.agents.run DEMO_JSON ERRAND` prints in one line how it ended.
"""

import os
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from opsconsole.client import ApiProblem, NotSendable, OpsConsole, Refused, dumps, loads
from opsconsole.demo.agents.errand import Errand, Window
from opsconsole.demo.record import DemoRecord

# Short, so that the run after a crash soon may claim again.
LEASE_SECONDS = 9


def main(demo_json: str, argument: str) -> None:
    """Do the errand. Exits 0 however the effect ended; only a signal says otherwise."""
    demo, errand = DemoRecord.load(Path(demo_json)), Errand.read(argument)
    holder = f"{errand.agent}/{errand.context['run']}/{os.getpid()}"
    with OpsConsole(demo.url, demo.tokens[errand.agent], holder=holder) as console:
        ending = ask(console, errand) if errand.executor == "console" else do(console, errand, demo)
    sys.stdout.write(f"{ending}\n")


def ask(console: OpsConsole, errand: Errand) -> str:
    """Leave the sending to the console."""
    operation = console.register(**errand.request(), executor="console")
    return f"left to the console: {operation['state']}"


def do(console: OpsConsole, errand: Errand, demo: DemoRecord) -> str:
    """Send it, at most once; resume when an earlier run died."""
    effect = console.effect(
        **errand.request(), lease_seconds=LEASE_SECONDS, wait_seconds=errand.wait_seconds
    )
    with effect:
        if errand.dies is Window.BEFORE_MARK:
            claim_and_die(console, effect.operation)
        try:
            receipt = effect.send(partial(call, errand, demo.sandbox_url))
        except NotSendable as no:
            return f"not sent: {no.operation['state']}, {no.next_action['code']}"
        except Refused as refusal:
            return f"refused: {refusal.code}"
        except httpx.HTTPError as error:
            return f"unknown: {type(error).__name__}"
        except ApiProblem as problem:
            return f"reported, and the console says {problem.code}"
        return f"confirmed: {receipt['effect_id']}" if receipt else f"verdict {effect.verdict}"


def call(errand: Errand, sandbox: str, key: str, payload: Any, timeout_seconds: float) -> Any:
    """The one call of the receiver."""
    if errand.dies is Window.BEFORE_CALL:
        die()
    answer = httpx.post(
        f"{sandbox}/orders",
        content=dumps({"operation_id": errand.key, "payload": payload}),
        headers={
            "Content-Type": "application/json",
            "Idempotency-Key": key,
            "Environment": errand.environment,
        },
        timeout=timeout_seconds,
        trust_env=False,
    )
    if errand.dies is Window.BEFORE_REPORT:
        die()
    if answer.status_code in (409, 422):
        code = loads(answer.content)["error"]["code"]
        raise Refused(status=answer.status_code, code=code, raw=answer.text)
    return loads(answer.raise_for_status().content)


def claim_and_die(console: OpsConsole, operation: dict[str, Any]) -> None:
    """Claim over the HTTP API itself, so that the process can end before the mark."""
    body = {
        "holder": console.holder,
        "version": operation["version"],
        "lease_seconds": LEASE_SECONDS,
    }
    console.transport.call("POST", f"/operations/{operation['id']}/claims", body)
    die()


def die() -> None:
    """End this process as the kernel's out-of-memory killer would: nothing runs after this."""
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main(*sys.argv[1:])
