"""A relay on loopback between a process and its server, which can be held up, cut and reset.

It forwards bytes and looks into none of them, but for the words that a hold waits for.
"""

import socket
import struct
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

type Target = tuple[str, int] | Path

CHUNK_BYTES = 65_536
RESET = struct.pack("ii", 1, 0)  # SO_LINGER: close with RST instead of FIN


class Hold:
    """From a chunk with these words on, nothing more gets through until `go_on`.

    `direction` "requests": that chunk is kept back too, and so is every answer. "answers": it is
    forwarded with what follows it on its connection, such as a body, and what the server says to
    it is kept back: a commit whose answer never comes.
    """

    def __init__(self, words: bytes, direction: Literal["requests", "answers"]) -> None:
        self.words, self.direction = words, direction
        self.has_begun, self.is_over = threading.Event(), threading.Event()
        self.link: _Link | None = None

    def go_on(self) -> None:
        """Let everything through that was kept back."""
        self.is_over.set()


class _Link:
    """One client's connection and the one to the server that belongs to it."""

    def __init__(self, client: socket.socket, server: socket.socket) -> None:
        self.client, self.server = client, server
        self.heard = bytearray()

    def close(self, *, with_reset: bool = False) -> None:
        for each in (self.client, self.server):
            with suppress(OSError):
                if with_reset:
                    each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                # A pump that waits in recv() keeps the connection open; this wakes it. Ending
                # both directions would say goodbye before the reset.
                each.shutdown(socket.SHUT_RD if with_reset else socket.SHUT_RDWR)
            each.close()


class Proxy:
    """Listens on `port` of 127.0.0.1 and relays to `target`, an address or a socket's path.

    `heard` is what clients sent, connection by connection, unless it remembers nothing.
    """

    def __init__(self, target: Target, *, remembers: bool = True) -> None:
        self._target = target
        self._remembers = remembers
        self._links: list[_Link] = []
        self._hold: Hold | None = None
        self._is_away = False
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.cut()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(timeout=5)

    @property
    def heard(self) -> list[bytes]:
        """All bytes that came from clients, one item a connection, in their order."""
        return [bytes(link.heard) for link in self._links]

    def hold(self, words: bytes, direction: Literal["requests", "answers"]) -> Hold:
        """Hold the traffic of every connection from the first chunk with these words on."""
        self._hold = Hold(words, direction)
        return self._hold

    def cut(self) -> None:
        """End every connection and take no new one until `mend`."""
        self._is_away = True
        self._drop(with_reset=False)

    def reset(self) -> None:
        """End every connection with RST; new ones are taken."""
        self._drop(with_reset=True)

    def mend(self) -> None:
        """Take connections again."""
        self._is_away = False

    def _drop(self, *, with_reset: bool) -> None:
        for link in self._links:
            link.close(with_reset=with_reset)
        if self._hold is not None:
            self._hold.go_on()  # to nobody: the connections are gone
            self._hold = None

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self._is_away:
                client.close()
                continue
            try:
                link = _Link(client, self._connect())
            except OSError:
                client.close()
                continue
            self._links.append(link)
            for pump in (self._pump_requests, self._pump_answers):
                threading.Thread(target=pump, args=(link,), daemon=True).start()

    def _connect(self) -> socket.socket:
        if isinstance(self._target, tuple):
            return socket.create_connection(self._target)
        server = socket.socket(socket.AF_UNIX)
        server.connect(str(self._target))
        return server

    def _pump_requests(self, link: _Link) -> None:
        with suppress(OSError):
            while chunk := link.client.recv(CHUNK_BYTES):
                if self._remembers:
                    link.heard += chunk
                hold = self._hold
                if hold is not None:
                    if not hold.has_begun.is_set() and hold.words in chunk:
                        hold.link = link
                        hold.has_begun.set()
                    is_forwarded = hold.direction == "answers" and hold.link is link
                    if hold.has_begun.is_set() and not is_forwarded:
                        hold.is_over.wait()
                link.server.sendall(chunk)
        link.close()

    def _pump_answers(self, link: _Link) -> None:
        with suppress(OSError):
            while chunk := link.server.recv(CHUNK_BYTES):
                hold = self._hold
                if hold is not None and hold.has_begun.is_set():
                    hold.is_over.wait()
                link.client.sendall(chunk)
        link.close()


def of_database(url: str) -> Target:
    """Where the server of a PostgreSQL URL listens."""
    from psycopg.conninfo import conninfo_to_dict

    parts = conninfo_to_dict(url)
    host, port = str(parts["host"]), int(parts.get("port") or 5432)
    return Path(host) / f".s.PGSQL.{port}" if host.startswith("/") else (host, port)


def through(url: str, proxy: Proxy) -> str:
    """The same PostgreSQL URL, by way of the proxy."""
    from psycopg.conninfo import conninfo_to_dict

    parts = conninfo_to_dict(url)
    who = f"{parts['user']}:{parts['password']}"
    return f"postgresql://{who}@127.0.0.1:{proxy.port}/{parts['dbname']}"
