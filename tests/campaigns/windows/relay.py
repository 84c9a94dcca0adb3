"""A relay before the sandbox that changes answers in ways in which no receiver should answer."""

import http.client
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

PASSED_ON = ("Content-Type", "Idempotency-Key", "Environment", "Accept")


def listen() -> ThreadingHTTPServer:
    """A server on a free port of loopback; `serve` runs it."""
    return ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)


def serve(server: ThreadingHTTPServer, sandbox_url: str) -> None:
    """Answer until the process is ended."""
    target = urlsplit(sandbox_url).netloc

    class Relay(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._relay("GET", b"")

        def do_POST(self) -> None:
            self._relay("POST", self.rfile.read(int(self.headers["Content-Length"])))

        def log_message(self, format: str, *args: object) -> None:
            """Nobody reads along."""

        def _relay(self, method: str, body: bytes) -> None:
            asked = {name: self.headers[name] for name in PASSED_ON if self.headers[name]}
            upstream = http.client.HTTPConnection(target, timeout=10)
            upstream.request(method, self.path, body or None, asked)
            answer = upstream.getresponse()
            raw = answer.read()
            upstream.close()
            window = json.loads(body)["operation_id"].split("/")[1] if method == "POST" else ""
            self._answer(answer.status, raw, window)

        def _answer(self, status: int, raw: bytes, window: str) -> None:
            status, raw, whole = changed(status, raw, window)
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(whole))
            self.end_headers()
            self.wfile.write(raw)
            self.close_connection = True

    server.RequestHandlerClass = Relay
    server.serve_forever()


def changed(status: int, raw: bytes, window: str) -> tuple[int, bytes, int]:
    """Status, body, and the length that is claimed for it."""
    if window == "other":
        raw = json.dumps({**json.loads(raw), "operation_id": "another-order"}).encode()
    elif window == "cut":
        return status, raw[: len(raw) // 2], len(raw)
    elif window == "empty":
        return 202, b"", 0
    return status, raw, len(raw)
