"""A rig for each connector, over a real receiver; and a server that says what it is told."""

import socket
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field

import pytest

from operations.protocol.profiles import Profile
from operations.receivers.base import Receiver, ReceiverConfig, Request
from operations.receivers.connectors import connector
from reconciliation.sandbox.process import SandboxProcess
from tests.http_receivers import configured

PAYLOAD = '{"sku":"vanilla","quantity":6,"ref":9007199254740993,"price":1.50}'


@dataclass(frozen=True)
class Rig:
    """A connector, and the receiver's own books to check it against."""

    receiver: Receiver
    books: SandboxProcess

    def request(self, key: str, payload_text: str = PAYLOAD) -> Request:
        """The request of an operation with this key."""
        return self.receiver.render(
            key=key,
            idempotency_key=f"idem-{key}",
            payload_text=payload_text,
            environment="production",
        )

    def counts(self, key: str) -> tuple[int, int]:
        """Requests and effects, from the receiver's ledger."""
        ledger = self.books.ledger(key)
        return ledger["requests"], len(ledger["effects"])


def a_config(connector_name: str, base_url: str = "", **more: object) -> ReceiverConfig:
    """A receiver of the production environment."""
    profile = Profile(receiver=connector_name, connector=connector_name, **more)  # type: ignore[arg-type]
    return ReceiverConfig(
        name=connector_name, environment="production", profile=profile, base_url=base_url
    )


@pytest.fixture(scope="session")
def books() -> Iterator[SandboxProcess]:
    with SandboxProcess() as process:
        yield process


@pytest.fixture(params=["sandbox", "http"])
def rig(request: pytest.FixtureRequest, books: SandboxProcess) -> Rig:
    """One for each connector that the sandbox can be spoken to with; http as it is documented."""
    is_http = request.param == "http"
    config = configured("supplier", books.url) if is_http else a_config(request.param, books.url)
    receiver = connector(config)
    assert receiver is not None
    return Rig(receiver, books)


@pytest.fixture
def key() -> str:
    return f"order-{uuid.uuid4()}"


@dataclass
class Script:
    """What a scripted server does with a connection, and what it heard."""

    url: str
    heard: list[bytes] = field(default_factory=list)
    act: Callable[[socket.socket], None] = lambda connection: None


@pytest.fixture
def script() -> Iterator[Script]:
    """A server on loopback that hands each connection, its request read, to `script.act`."""
    listener = socket.create_server(("127.0.0.1", 0))
    script = Script(f"http://127.0.0.1:{listener.getsockname()[1]}")
    is_over = threading.Event()

    def serve() -> None:
        while not is_over.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with closing(connection):
                script.heard.append(_read_request(connection))
                try:
                    script.act(connection)
                except OSError:
                    continue  # the client gave up, which is what some tests are about

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield script
    is_over.set()
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join(timeout=5)


def says(answer: bytes) -> Callable[[socket.socket], None]:
    """An act: these bytes, then the end."""
    return lambda connection: connection.sendall(answer)


def an_answer(status: str, body: bytes, *headers: str) -> bytes:
    """A whole HTTP answer."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def _read_request(connection: socket.socket) -> bytes:
    heard = b""
    while b"\r\n\r\n" not in heard and (more := connection.recv(65_536)):
        heard += more
    head, _, body = heard.partition(b"\r\n\r\n")
    lengths = [
        int(line.split(b":")[1])
        for line in head.split(b"\r\n")
        if line.lower().startswith(b"content-length:")
    ]
    while lengths and len(body) < lengths[0] and (more := connection.recv(65_536)):
        heard, body = heard + more, body + more
    return heard
