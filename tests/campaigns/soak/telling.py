"""How an agent process tells what it saw: a line at once, on disk before anything follows from it.

A process that is killed has then told every mark under which it sent, and nothing is held back.
"""

import json
import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx

from tests.campaigns.surroundings.witness import Witness


class Teller(Witness):
    """Writes each answer to a change into a file, for a witness in another process."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def tell(self, **members: Any) -> None:
        """One line in one write, so that lines of several threads do not mix."""
        os.write(self._file, json.dumps(members).encode() + b"\n")

    def see(self, response: httpx.Response) -> None:
        """Tell of one answer, unless it was only read."""
        response.read()
        request = response.request
        if request.method == "GET" and response.status_code < 500:
            return
        self.tell(
            method=request.method,
            url=str(request.url),
            asked=request.content.decode(),
            status=response.status_code,
            headers={"Retry-After": response.headers.get("Retry-After", "")},
            said=response.text,
            seconds=response.elapsed.total_seconds(),
        )


class Listener:
    """Reads what tellers wrote since it was here last."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[Path, int] = {}

    def news(self) -> Iterator[dict[str, Any]]:
        """Every new line that is whole; a kill may have cut the last one off."""
        for path in sorted(self._folder.glob("*.jsonl")):
            with path.open("rb") as file:
                file.seek(self._read.get(path, 0))
                for line in file:
                    if line.endswith(b"\n"):
                        self._read[path] = self._read.get(path, 0) + len(line)
                        yield json.loads(line)


def as_response(told: dict[str, Any]) -> httpx.Response:
    """The answer as the agent saw it."""
    request = httpx.Request(told["method"], told["url"], content=told["asked"].encode())
    response = httpx.Response(
        told["status"], headers=told["headers"], text=told["said"], request=request
    )
    response.elapsed = timedelta(seconds=told["seconds"])
    return response
