"""Every message that passes the broker, kept; and, when asked for, delivered nine times more."""

import ast
import re
import threading
import time
from typing import Any

import redis

QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
COPIES = 9
KEPT = 3_000


class Echo:
    """Reads along with MONITOR. Its own copies go in by RPUSH, which it does not listen to.

    They are taken before all others that wait, so messages are also put out of order.
    """

    def __init__(self, broker_url: str) -> None:
        self.kept: list[tuple[str, bytes]] = []
        self.copies = 0
        self.is_copying = threading.Event()
        self._url = broker_url
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._listen, daemon=True)

    def __enter__(self) -> "Echo":
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._is_over.set()
        self._thread.join(timeout=10)

    def _listen(self) -> None:
        while not self._is_over.is_set():
            try:
                self._read_along()
            except redis.RedisError:  # the broker is away, as it often is here
                time.sleep(0.05)

    def _read_along(self) -> None:
        with a_client(self._url) as client, client.monitor() as monitor:
            while not self._is_over.is_set():
                if monitor.connection.can_read(timeout=0.2):
                    self._take(monitor.connection.read_response(), client)

    def _take(self, line: Any, client: "redis.Redis[bytes]") -> None:
        text = line.decode("latin-1") if isinstance(line, bytes) else str(line)
        if ' "LPUSH" ' not in text:
            return
        _, queue, message = (_unquoted(each) for each in QUOTED.findall(text)[:3])
        if len(self.kept) < KEPT:
            self.kept.append((queue.decode(), message))
        if self.is_copying.is_set():
            client.rpush(queue.decode(), *[message] * COPIES)
            self.copies += COPIES


def a_client(broker_url: str) -> "redis.Redis[bytes]":
    """A connection to the broker, as an intruder would have one too."""
    return redis.Redis.from_url(broker_url, socket_timeout=5, socket_connect_timeout=2)


def _unquoted(text: str) -> bytes:
    # The server escapes as Python does: \\, \", \n, \r, \t, \a, \b and \xHH.
    found: bytes = ast.literal_eval(f'b"{text}"')
    return found
