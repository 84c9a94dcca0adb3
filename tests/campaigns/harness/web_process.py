"""A web process of the console, forked from this one, for agents that call it over HTTP."""

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler

from django.core.handlers.wsgi import WSGIHandler
from django.core.servers.basehttp import ThreadedWSGIServer

from tests.campaigns.harness.children import Child


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: thousands of requests pass."""


@contextmanager
def web_process() -> Iterator[str]:
    """Its address while the block runs. It ends with this process, however that ends."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=64)
    until_closed, closing = os.pipe()
    child = Child(lambda: _serve(listening, until_closed, closing))
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    listening.close()
    os.close(until_closed)
    try:
        yield address
    finally:
        child.send(signal.SIGKILL)
        child.end()
        os.close(closing)


def _serve(listening: socket.socket, until_closed: int, closing: int) -> None:
    os.close(closing)
    threading.Thread(target=_end_with_parent, args=(until_closed,), daemon=True).start()
    server = ThreadedWSGIServer(
        listening.getsockname(), _Quiet, bind_and_activate=False, allow_reuse_address=False
    )
    server.socket.close()
    server.socket = listening
    server.server_name, server.server_port = "127.0.0.1", listening.getsockname()[1]
    server.setup_environ()
    server.daemon_threads = True
    server.set_app(WSGIHandler())
    server.serve_forever()


def _end_with_parent(until_closed: int) -> None:
    os.read(until_closed, 1)  # returns when the other end is closed: by the end of the parent
    os._exit(0)
