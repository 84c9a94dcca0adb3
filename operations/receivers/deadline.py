"""A network connection of which every step, and so the whole, ends by one moment."""

import socket
import ssl
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import httpcore


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment on this process's monotonic clock."""

    at: float

    @classmethod
    def within(cls, seconds: float) -> "Deadline":
        """The deadline `seconds` from now."""
        return cls(time.monotonic() + seconds)

    def seconds_left(self) -> float:
        """What is left; not above zero when it is over."""
        return self.at - time.monotonic()


class DeadlineBackend(httpcore.NetworkBackend):
    """Opens connections under one deadline, and knows how many bytes were handed to the network.

    httpcore's own timeouts hold for one read or write each, so an answer that drips in byte by
    byte has no end. Name resolution cannot be interrupted, but nothing was sent by then, and
    nothing is sent after it when the deadline is over.
    """

    def __init__(self, deadline: Deadline) -> None:
        self.deadline = deadline
        self.sent_bytes = 0
        self._backend = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect, in the time that is left."""
        left = self.left_for(httpcore.ConnectTimeout)
        stream = self._backend.connect_tcp(host, port, left, local_address, socket_options)
        return DeadlineStream(stream, self)

    def left_for(self, over: type[Exception]) -> float:
        """Seconds left for a step; raises `over` when there are none."""
        left = self.deadline.seconds_left()
        if left <= 0:
            raise over("the deadline is over")
        return left


class DeadlineStream(httpcore.NetworkStream):
    """A connection whose reads and writes share the backend's deadline."""

    def __init__(self, stream: httpcore.NetworkStream, backend: DeadlineBackend) -> None:
        self._stream = stream
        self._backend = backend

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """What comes next, in the time that is left."""
        return self._stream.read(max_bytes, self._backend.left_for(httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send it all, in the time that is left for all of it."""
        connection: socket.socket = self._stream.get_extra_info("socket")
        rest = memoryview(buffer)
        while rest:
            connection.settimeout(self._backend.left_for(httpcore.WriteTimeout))
            try:
                count = connection.send(rest)
            except TimeoutError as error:
                raise httpcore.WriteTimeout("the deadline is over") from error
            except OSError as error:
                raise httpcore.WriteError(str(error)) from error
            self._backend.sent_bytes += count
            rest = rest[count:]

    def close(self) -> None:
        """Close it."""
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        """Shake hands, in the time that is left. Its bytes are not the request's."""
        try:
            left = self._backend.left_for(httpcore.ConnectTimeout)
        except httpcore.ConnectTimeout:
            self.close()  # httpcore closes what fails while hands are shaken, and not before
            raise
        stream = self._stream.start_tls(ssl_context, server_hostname, left)
        return DeadlineStream(stream, self._backend)

    def get_extra_info(self, info: str) -> Any:
        """What the connection tells of itself."""
        return self._stream.get_extra_info(info)
