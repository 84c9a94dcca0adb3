"""A running sandbox for all tests of a module, and a listener that keeps the webhooks it gets."""

import json
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from reconciliation.sandbox.process import SandboxProcess

SECRET = "whsec_c2FuZGJveC1yZWNlaXZlci10ZXN0LXNlY3JldA=="


@dataclass(frozen=True)
class Delivery:
    """One webhook as it came in."""

    path: str
    headers: dict[str, str]
    body: bytes
    at: float


@dataclass
class Listener:
    """Keeps every webhook, and answers 204; 500 once for each operation in `refused_once`."""

    url: str
    deliveries: list[Delivery] = field(default_factory=list)
    refused_once: set[str] = field(default_factory=set)

    def of(self, operation_id: str) -> list[Delivery]:
        """What came in about one operation, in order."""
        named = f'"operation_id":"{operation_id}"'.encode()
        return [each for each in self.deliveries if named in each.body]


@pytest.fixture(scope="session")
def listener() -> Iterator[Listener]:
    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            kept.deliveries.append(Delivery(self.path, headers, body, time.monotonic()))
            operation_id = json.loads(body)["data"]["operation_id"]
            self.send_response(500 if operation_id in kept.refused_once else 204)
            kept.refused_once.discard(operation_id)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    kept = Listener(f"http://127.0.0.1:{server.server_port}/hooks/{{environment}}/sandbox")
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield kept
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="session")
def sandbox(listener: Listener) -> Iterator[SandboxProcess]:
    with SandboxProcess(webhook_url=listener.url, webhook_secret=SECRET) as process:
        yield process


@pytest.fixture
def own_sandbox() -> Iterator[SandboxProcess]:
    """One that a test may kill."""
    with SandboxProcess() as process:
        yield process


@pytest.fixture
def name() -> str:
    """An operation id that no other test uses."""
    return f"order-{uuid.uuid4()}"


def counts(sandbox: SandboxProcess, operation_id: str) -> tuple[int, int]:
    """Requests and effects of an operation."""
    ledger = sandbox.ledger(operation_id)
    return ledger["requests"], len(ledger["effects"])


def eventually[T](ask: Callable[[], T], *, within_seconds: float = 8) -> T:
    """Ask until the answer is true, and return it; the last answer when the time is over."""
    ends_at = time.monotonic() + within_seconds
    while not (answer := ask()) and time.monotonic() < ends_at:
        threading.Event().wait(0.02)
    return answer
