"""A sandbox receiver as a child process, for tests and the demo."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx

ROOT = Path(__file__).resolve().parents[2]


class SandboxProcess:
    """Starts `python -m reconciliation.sandbox` on a free port, and talks to it over HTTP.

    `store` is a folder; without one a temporary folder is used, gone with the context. The child
    ends with its starter, even when the starter is killed.
    """

    def __init__(
        self,
        store: Path | None = None,
        *,
        port: int = 0,
        webhook_url: str | None = None,
        webhook_secret: str | None = None,
        webhooks: bool = False,
    ) -> None:
        self._temporary = None if store else tempfile.TemporaryDirectory(prefix="sandbox-")
        self.store = store or Path(self._temporary.name if self._temporary else "")
        self.port = port
        self._webhook_url = webhook_url
        self._webhook_secret = webhook_secret
        self._webhooks = webhooks
        # No connection is kept, so none is stale after a kill.
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
        self._client = httpx.Client(trust_env=False, limits=limits)
        self._process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        """Its address, the same after a restart."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> Self:
        """Start it and wait until it listens; raises RuntimeError with its words if it does not."""
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        if self._webhook_secret:
            environment["SANDBOX_WEBHOOK_SECRET"] = self._webhook_secret
        self.store.mkdir(parents=True, exist_ok=True)
        log_path = self.store / "sandbox.log"
        with log_path.open("a") as log:
            self._process = subprocess.Popen(
                self._command(),
                cwd=ROOT,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        line = self._process.stdout.readline() if self._process.stdout else ""
        if "listening on" not in line:
            self.stop()
            raise RuntimeError(f"the sandbox did not start: {log_path.read_text()[-500:]}")
        self.port = int(line.rsplit(":", 1)[1])
        return self

    def stop(self) -> None:
        """Stop it in order (SIGTERM); nothing happens when it does not run."""
        self._end(lambda process: process.terminate())

    def kill(self) -> None:
        """Kill it with SIGKILL."""
        self._end(lambda process: process.kill())

    def pause(self) -> None:
        """Let it hang: connections are taken and nothing answers (SIGSTOP)."""
        if self._process:
            self._process.send_signal(SIGSTOP)

    def go_on(self) -> None:
        """End a pause."""
        if self._process:
            self._process.send_signal(SIGCONT)

    def restart(self) -> None:
        """Kill it with SIGKILL if it runs, and start it on the same port and store."""
        self.kill()
        self.start()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()
        if self._temporary:
            self._temporary.cleanup()

    def post_order(
        self,
        operation_id: str,
        payload: Any = None,
        *,
        key: str | None = None,
        environment: str = "production",
        timeout: float = 10,
    ) -> httpx.Response:
        """Send one order under `key` (by default `key-` and the operation id), once."""
        body = {
            "operation_id": operation_id,
            "payload": {"sku": "vanilla", "quantity": 6} if payload is None else payload,
        }
        headers = {"Idempotency-Key": key or f"key-{operation_id}"}
        return self.call("POST", "/orders", body, headers, environment, timeout)

    def fault(
        self,
        operation_id: str,
        fault: str,
        *,
        seconds: float | None = None,
        times: int | None = None,
        environment: str = "production",
    ) -> None:
        """Arm a fault; raises httpx.HTTPStatusError when the sandbox refuses it."""
        given = {"operation_id": operation_id, "fault": fault, "seconds": seconds, "times": times}
        body = {name: value for name, value in given.items() if value is not None}
        self.call("POST", "/faults", body, environment=environment).raise_for_status()

    def clear_faults(self, operation_id: str, *, environment: str = "production") -> None:
        """Delete every fault of an operation."""
        path = f"/faults/{encoded(operation_id)}"
        self.call("DELETE", path, environment=environment).raise_for_status()

    def order(self, operation_id: str, *, environment: str = "production") -> httpx.Response:
        """Look an order up."""
        return self.call("GET", f"/orders/{encoded(operation_id)}", environment=environment)

    def ledger(self, operation_id: str, *, environment: str = "production") -> dict[str, Any]:
        """What truly happened: `{"requests": n, "effects": [effect_id]}`."""
        answer = self.call("GET", f"/ledger/{encoded(operation_id)}", environment=environment)
        ledger: dict[str, Any] = answer.raise_for_status().json()
        return ledger

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: dict[str, str] | None = None,
        environment: str = "production",
        timeout: float = 10,
    ) -> httpx.Response:
        """One request on a connection of its own; no redirect is followed."""
        all_headers = {"Environment": environment, **(headers or {})}
        return self._client.request(
            method, self.url + path, json=body, headers=all_headers, timeout=timeout
        )

    def _command(self) -> list[str]:
        command = [sys.executable, "-m", "reconciliation.sandbox", "--until-stdin-closes"]
        command += ["--port", str(self.port), "--store", str(self.store)]
        if self._webhook_url:
            command += ["--webhook-url", self._webhook_url]
        if self._webhooks:
            command += ["--webhooks"]
        return command

    def _end(self, how: Any) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        how(process)
        process.wait(timeout=10)
        for pipe in (process.stdin, process.stdout):
            if pipe:
                pipe.close()


def encoded(operation_id: str) -> str:
    """An operation id as one segment of a path; a client would resolve dots that stand alone."""
    path = quote(operation_id, safe="")
    return path.replace(".", "%2E") if set(operation_id) == {"."} else path
