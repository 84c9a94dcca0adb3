"""Every boundary at which a process can die: before and after each statement, COMMIT and call.

    with watched(hook):  # on this thread's connection
        flow.act(subject)

`hook(boundary)` is called in the process and the thread that is about to pass the boundary, or has
just passed it, so it may kill the process (`killing`), stop it (`stopping`), write the boundary
down (`Noted`), or block until a scheduler lets it go on: any callable will do. BEGIN has no
boundary of its own: psycopg sends it together with the first statement. A savepoint is a statement.

An agent's process has no SQL: its boundaries are its requests, made with `http_client()`. `Watch`
is the same in pieces: one count over a connection (`sql`) and an httpx transport (`transport`).
"""

import os
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Protocol

import httpx
from django.db import DEFAULT_DB_ALIAS, connections

COMMIT, ROLLBACK = "COMMIT", "ROLLBACK"
BEFORE, AFTER = "before", "after"
WRITES = ("INSERT", "UPDATE", "DELETE", "WITH", "LOCK", "TRUNCATE", "MERGE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """One place of a flow, counted from 1. `what` is the same in every run of the same code.

    `what`: COMMIT, ROLLBACK, a statement's fingerprint, or an HTTP method with its path.
    `is_durable_after`: what this boundary is about commits something, so its answer can be lost.
    `wrote`: of a COMMIT, whether its transaction wrote anything.
    `tables`: all that a statement names, in any place of it.
    """

    number: int
    moment: str
    what: str
    is_durable_after: bool = False
    wrote: bool = False
    tables: frozenset[str] = frozenset()

    @property
    def is_commit(self) -> bool:
        """Whether it stands around a COMMIT."""
        return self.what == COMMIT

    def __str__(self) -> str:
        return f"{self.number} {self.moment} {self.what}"


class Hook(Protocol):
    """What is done at each boundary."""

    def __call__(self, boundary: Boundary, /) -> None: ...


@dataclass(slots=True)
class Noted:
    """A hook that only writes the boundaries down."""

    boundaries: list[Boundary] = field(default_factory=list)

    def __call__(self, boundary: Boundary) -> None:
        self.boundaries.append(boundary)


def killing(number: int) -> Hook:
    """SIGKILL this process at that boundary: nothing of it runs any more, no `finally` either."""
    return _signalling(number, signal.SIGKILL)


def stopping(number: int) -> Hook:
    """SIGSTOP this process at that boundary; it goes on when somebody sends SIGCONT."""
    return _signalling(number, signal.SIGSTOP)


def _signalling(number: int, sent: signal.Signals) -> Hook:
    def hook(boundary: Boundary) -> None:
        if boundary.number == number:
            os.kill(os.getpid(), sent)

    return hook


@contextmanager
def watched(hook: Hook) -> Iterator["Watch"]:
    """Call `hook` at every boundary that this thread's connection passes inside the block."""
    watch = Watch(hook)
    token = _current.set(watch)
    try:
        with watch.sql():
            yield watch
    finally:
        _current.reset(token)


def http_client() -> httpx.Client:
    """For an agent: each request is a boundary of the block around it, where there is one."""
    watch = _current.get()
    return httpx.Client(transport=watch.transport() if watch else None, follow_redirects=False)


_current: ContextVar["Watch | None"] = ContextVar("_current", default=None)


class Watch:
    """One count of boundaries, over whatever is wrapped with it."""

    def __init__(self, hook: Hook) -> None:
        self._hook = hook
        self.count = 0

    def reach(self, moment: str, what: str, **more: Any) -> None:
        """Count one boundary and let the hook act at it; `more` are further members of it."""
        self.count += 1
        self._hook(Boundary(number=self.count, moment=moment, what=what, **more))

    @contextmanager
    def around(self, what: str, **more: Any) -> Iterator[None]:
        """The boundary before and the one after, also when what stands between them fails."""
        self.reach(BEFORE, what, **more)
        try:
            yield
        finally:
            self.reach(AFTER, what, **more)

    @contextmanager
    def sql(self) -> Iterator[None]:
        """Watch this thread's connection: each statement, COMMIT and ROLLBACK."""
        connection: Any = connections[DEFAULT_DB_ALIAS]
        commit, rollback = connection._commit, connection._rollback
        wrote = False

        def execute(run: Callable[..., Any], sql: Any, *rest: Any) -> Any:
            nonlocal wrote
            alone = connection.get_autocommit() and not connection.in_atomic_block
            what = fingerprint(str(sql))
            is_write = what.startswith(WRITES)
            is_durable, wrote = alone and is_write, wrote or is_write
            with self.around(what, is_durable_after=is_durable, tables=tables_in(str(sql))):
                return run(sql, *rest)

        def committed() -> Any:
            nonlocal wrote
            this, wrote = wrote, False
            with self.around(COMMIT, is_durable_after=True, wrote=this):
                return commit()

        def rolled_back() -> Any:
            nonlocal wrote
            wrote = False
            with self.around(ROLLBACK):
                return rollback()

        # Django's wrapper sees statements alone; these two are the only other ways to PostgreSQL.
        connection._commit, connection._rollback = committed, rolled_back
        try:
            with connection.execute_wrapper(execute):
                yield
        finally:
            del connection._commit, connection._rollback

    def transport(self, inner: httpx.BaseTransport | None = None) -> httpx.BaseTransport:
        """An httpx transport on which every request is a boundary before and one after."""
        return _WatchedTransport(self, inner or httpx.HTTPTransport())


class _WatchedTransport(httpx.BaseTransport):
    def __init__(self, watch: Watch, inner: httpx.BaseTransport) -> None:
        self._watch, self._inner = watch, inner

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        what = f"{request.method} {_path(request.url.path)}"
        with self._watch.around(what, is_durable_after=request.method != "GET"):
            response = self._inner.handle_request(request)
            response.read()
            return response

    def close(self) -> None:
        self._inner.close()


_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|(?<=/claims/)\d+|(?<=/orders/).+")


def _path(path: str) -> str:
    """A path with `…` for what differs in every run."""
    return _ID.sub("…", path.removeprefix("/api/v1"))


_BLANK = re.compile(r"\s+")
_LIST = re.compile(r"\((?:%s|NULL)(?:, (?:%s|NULL))+\)")
_ROWS = re.compile(r"(\(%s…\)|\(%s\))(?:, (?:\(%s…\)|\(%s\)))+")
_SAVEPOINT = re.compile(r'"s\d+_x\d+"')
_TABLE = re.compile(r'\b(?:FROM|INTO|UPDATE|JOIN)\s+(?:ONLY\s+)?"?([a-z_]+)"?', re.IGNORECASE)
_CALL = re.compile(r"\b([a-z_]+)\(")


def tables_in(sql: str) -> frozenset[str]:
    """Every table that a statement names."""
    return frozenset(_TABLE.findall(sql))


def fingerprint(sql: str) -> str:
    """Verb, tables and a short hash of the text without its values: the same in every run."""
    text = _BLANK.sub(" ", _SAVEPOINT.sub("savepoint", sql)).strip()
    text = _ROWS.sub(r"\1", _LIST.sub("(%s…)", text))
    verb = text.partition(" ")[0].upper()
    names = list(dict.fromkeys(_TABLE.findall(text)))[:2] or _CALL.findall(text)[:2]
    short = [name.removeprefix("operations_") for name in names]
    locks = ["locked"] if " FOR UPDATE" in text else []
    return " ".join([verb, *short, *locks, sha256(text.encode()).hexdigest()[:6]])
