"""The HTTP connection itself: reading a bounded body, and the three ways to end a request."""

import os
import re
import socket
import struct
import time
from http.server import BaseHTTPRequestHandler

from reconciliation.sandbox.problems import Problem
from reconciliation.sandbox.replies import Ending, Reply, problem_reply

MAX_BODY_BYTES = 2 * 1024 * 1024
DRAINED_BYTES = 16 * 1024 * 1024


class Connection(BaseHTTPRequestHandler):
    """HTTP/1.1 over one socket. Subclasses answer requests through `finish_with`."""

    protocol_version = "HTTP/1.1"
    server_version = "sandbox-receiver"
    sys_version = ""
    timeout = 60  # seconds a sender may take over a request, or leave the connection idle
    disable_nagle_algorithm = True

    def read_body(self) -> bytes:
        """The whole body. Raises Problem 411 or 413, or 400 when the sender stopped half-way."""
        length_text = self.headers.get("Content-Length", "")
        if "Transfer-Encoding" in self.headers or not re.fullmatch(r"[0-9]{1,15}", length_text):
            self.close_connection = True
            detail = f"expected Content-Length in digits, got {length_text or 'none'}"
            raise Problem(411, "length_required", detail)
        length = int(length_text)
        if length > MAX_BODY_BYTES:
            self._drain(length)
            detail = f"expected at most {MAX_BODY_BYTES} bytes, got {length}"
            raise Problem(413, "too_large", detail)
        body = self.rfile.read(length)
        if len(body) < length:
            self.close_connection = True
            detail = f"expected {length} bytes, got {len(body)} and then the end"
            raise Problem.bad_request("incomplete_body", detail)
        return body

    def finish_with(self, reply: Reply) -> None:
        """Wait as long as the reply says, then answer, fall silent or reset."""
        if reply.delay_seconds and self._is_gone_within(reply.delay_seconds):
            self.close_connection = True
            return
        match reply.ending:
            case Ending.ANSWER:
                self._answer(reply)
            case Ending.SILENCE:
                self.close_connection = True
            case Ending.RESET:
                self.close_connection = True
                self._reset()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what the base class cannot parse with a JSON error too."""
        self.close_connection = True
        self.finish_with(problem_reply(code, "bad_http", message or "not an HTTP request"))

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the ledger tells what was asked."""

    def _answer(self, reply: Reply) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(reply.body)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(reply.body)

    def _reset(self) -> None:
        # Lingering for no time turns the close into a reset. The file descriptor is closed here,
        # because the server's own closing would first send an orderly end.
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        os.close(self.connection.detach())

    def _is_gone_within(self, seconds: float) -> bool:
        """Wait; True as soon as the sender hung up, False when the time is over."""
        ends_at = time.monotonic() + seconds
        try:
            while (left := ends_at - time.monotonic()) > 0:
                self.connection.settimeout(left)
                if not self.connection.recv(1, socket.MSG_PEEK):
                    return True
                # The next request is here already; it waits, and so does this one.
                time.sleep(min(left, 0.05))
        except TimeoutError:
            pass
        except OSError:
            return True
        self.connection.settimeout(self.timeout)
        return False

    def _drain(self, length: int) -> None:
        # Closing with unread bytes would reset the connection and destroy the answer on its way.
        self.close_connection = True
        left = min(length, DRAINED_BYTES)
        while left > 0 and (read := self.rfile.read(min(left, 65_536))):
            left -= len(read)
