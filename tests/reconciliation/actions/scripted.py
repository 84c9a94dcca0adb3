"""A receiver that loses its first order's reply and answers lookups by a script."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

import pytest

from operations.models import Operation
from operations.protocol.states import State
from tests.build import a_console_operation, move_back
from tests.dispatching import dispatch
from tests.receiver import configure

NOT_FOUND = '{"error":"not_found","operation_id":"%s"}'
# As the status of an answer: none comes before whoever asked has given up.
SILENCE = 0


@dataclass
class Scripted:
    """A receiver that answers each lookup with the next answer of its script.

    Keys of `by_key` have an answer of their own, each time. In the environments of `silent_in` it
    answers none.
    """

    url: str = ""
    answers: list[tuple[int, dict[str, str], bytes]] = field(default_factory=list)
    by_key: dict[str, tuple[int, dict[str, str], bytes]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    silent_in: set[str] = field(default_factory=set)
    is_over: threading.Event = field(default_factory=threading.Event)


@pytest.fixture(name="scripted")
def scripted_fixture(settings) -> Iterator[Scripted]:
    script = Scripted()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            script.asked.append(self.path)
            is_silent = self.headers.get("Environment") in script.silent_in
            key = unquote(self.path.rsplit("/", 1)[-1])
            told = script.by_key.get(key) or (None if is_silent else script.answers.pop(0))
            status, headers, body = told or (SILENCE, {}, b"")
            if status == SILENCE:
                script.is_over.wait(timeout=30)
                self.close_connection = True
                return
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            script.asked.append("POST")
            self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    script.url = f"http://127.0.0.1:{server.server_port}"
    configure(settings, url=script.url)
    yield script
    script.is_over.set()
    server.shutdown()
    server.server_close()
    thread.join()


def an_unanswered_order(**given: Any) -> Operation:
    """Sent, no answer, and past its quarantine."""
    operation = a_console_operation(**given)
    dispatch(operation)
    assert operation.state == State.SENT_UNKNOWN
    move_back(operation, 10)
    return operation
