"""One HTTP call: once, without retry, redirect, proxy or decoding, over by its deadline."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import httpcore

from operations.receivers.base import NoAnswer, Request
from operations.receivers.deadline import Deadline, DeadlineBackend

# A receipt carries the payload (1 MiB), which another spelling may make longer.
MAX_ANSWER_BYTES = 4 * 1024 * 1024
_FAILURES = (
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.TimeoutException,
    httpcore.UnsupportedProtocol,
    OSError,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAnswer:
    """A whole answer. Header names are in lower case; `raw` is the body as it came."""

    status: int
    headers: dict[str, str]
    raw: bytes


class _TooLong(Exception):
    pass


def call_once(request: Request, *, deadline_seconds: float) -> HttpAnswer | NoAnswer:
    """Make the call; NoAnswer for everything short of a whole answer within the deadline.

    Each call has a connection of its own, so none is lost to one that went stale while idle.
    """
    backend = DeadlineBackend(Deadline.within(deadline_seconds))
    progress = _Progress()
    try:
        with httpcore.ConnectionPool(
            network_backend=backend, max_connections=1, retries=0, http1=True, http2=False
        ) as pool:
            _exchange(pool, request, progress)
    except _TooLong:
        detail = f"the answer is longer than {MAX_ANSWER_BYTES} bytes"
    except _FAILURES as error:
        stage = f"an answer with status {progress.status} broke off: " if progress.status else ""
        detail = f"{stage}{type(error).__name__}: {error or 'no more is known'}"
    else:
        raw = bytes(progress.raw)
        return HttpAnswer(status=progress.status, headers=progress.headers, raw=raw)
    return NoAnswer(
        detail=detail,
        sent=(True if progress.is_sent else None) if backend.sent_bytes else False,
        status=progress.status or None,
        raw=bytes(progress.raw),
    )


@dataclass(slots=True)
class _Progress:
    """How far the call has come: whether all of it is sent, and what came of an answer."""

    is_sent: bool = False
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytearray = field(default_factory=bytearray)

    def note(self, event: str, _details: Mapping[str, object]) -> None:
        """Called by httpcore at each of its steps."""
        if event == "http11.send_request_body.complete":
            self.is_sent = True


def _exchange(pool: httpcore.ConnectionPool, request: Request, progress: _Progress) -> None:
    # Asking for no encoding keeps the body's bytes what they mean; one that comes all the same
    # is kept as it is, and cannot be read as JSON.
    headers = [
        *((name.encode("ascii"), value.encode("ascii")) for name, value in request.headers.items()),
        (b"Accept-Encoding", b"identity"),
        (b"Connection", b"close"),
    ]
    with pool.stream(
        request.method,
        request.url,
        headers=headers,
        content=request.body,
        extensions={"trace": progress.note},
    ) as came:
        progress.status = came.status
        progress.headers = _joined(came.headers)
        for piece in came.iter_stream():
            room = MAX_ANSWER_BYTES - len(progress.raw)
            progress.raw += piece[:room]
            if len(piece) > room:
                raise _TooLong


def _joined(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    joined: dict[str, str] = {}
    for raw_name, raw_value in headers:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        joined[name] = f"{joined[name]}, {value}" if name in joined else value
    return joined
