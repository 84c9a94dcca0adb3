"""The receivers of docs/receivers.md, section http, and small real JSON APIs to put them before."""

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from operations.receivers.base import ReceiverConfig
from operations.registry import Configuration
from opsconsole.config import load_configuration

ROOT = Path(__file__).parents[1]
HEAD = 'environments = ["production", "staging"]\n'
SECRETS = {
    "WAREHOUSE_TOKEN": "warehouse-s3cret",
    "TICKETS_KEY": "tickets-s3cret",
    "COURIER_AUTHORIZATION": "Basic courier-s3cret",
    "COURIER_TEST_AUTHORIZATION": "Basic courier-test-s3cret",
    "MAILER_TOKEN": "mailer-s3cret",
}


def documented() -> str:
    """The configuration of docs/receivers.md, section http, as one file."""
    text = (ROOT / "docs" / "receivers.md").read_text(encoding="utf-8")
    section = text.split("\n## JSON APIs (`http`)\n")[1].split("\n## ")[0]
    blocks = re.findall(r"^```toml\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    return HEAD + "\n".join(blocks)


def at(url: str, text: str | None = None) -> str:
    """That configuration with every receiver at `url`, a server of this machine."""
    text = text or documented()
    return re.sub(r"^base_url = .*$", f'base_url = "{url}"', text, flags=re.MULTILINE)


def load(text: str) -> Configuration:
    """The configuration that the text is, with the secrets it asks for in the environment."""
    before = dict(os.environ)
    os.environ.update(SECRETS)
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "opsconsole.toml"
            path.write_text(text, encoding="utf-8")
            return load_configuration(path)
    finally:
        os.environ.clear()
        os.environ.update(before)


def configured(name: str, url: str, *, environment: str = "production") -> ReceiverConfig:
    """The documented receiver `name` at `url`."""
    return load(at(url)).receivers[(environment, name)]


@dataclass(frozen=True)
class Asked:
    """One request as it came; header names are in lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Api:
    """A JSON API on loopback: `answer` makes (status, body, headers) of each request."""

    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    answer: Callable[[Asked], tuple[Any, ...]] = lambda asked: (404, {})


@contextmanager
def an_api() -> Iterator[Api]:
    """A running one. A body that is no bytes is written as JSON."""
    api = Api()

    class Requests(BaseHTTPRequestHandler):
        def answer(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = Asked(self.command, self.path, headers, self.rfile.read(length))
            api.asked.append(asked)
            status, body, *more = api.answer(asked)
            raw = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(raw)))
            for name, value in (more[0] if more else {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw)

        do_GET = do_POST = do_PUT = do_PATCH = answer

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Requests)
    thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    api.url = f"http://127.0.0.1:{server.server_port}"
    yield api
    server.shutdown()
    server.server_close()
    thread.join(timeout=5)
