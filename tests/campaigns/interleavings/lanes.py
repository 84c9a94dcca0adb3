"""Acts on threads that take one statement at a time, when they are told to."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from queue import SimpleQueue
from typing import Any

import psycopg
from django.db import connection

from operations.protocol.refusals import Refusal
from tests.campaigns.harness.boundaries import BEFORE, ROLLBACK, Boundary, watched

# A step ends within microseconds, or waits for a lock; then the observer is asked.
PROBE_SECONDS = 0.003
LONGEST_STEP_SECONDS = 20.0


class Standing(StrEnum):
    """Where a lane is."""

    WAITING = "waiting"  # at a boundary, to be let on
    RUNNING = "running"  # in a statement
    BLOCKED = "blocked"  # in a statement that waits for another lane's lock
    DONE = "done"


@dataclass(slots=True)
class Lane:
    """One thread with one connection of its own, on which acts run one after the other."""

    number: int
    standing: Standing = Standing.DONE
    waits_at: Boundary | None = None
    outcome: Any = None
    backend_pid: int = 0
    _acts: "SimpleQueue[Callable[[], Any] | None]" = field(default_factory=SimpleQueue)
    _go: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    _arrived: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def open(self) -> None:
        """Start the thread; returns once its connection stands."""
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        self._await_arrival()

    def close(self) -> None:
        """End the thread and its connection."""
        self._acts.put(None)
        assert self._thread is not None
        self._thread.join(timeout=LONGEST_STEP_SECONDS)

    def begin(self, act: Callable[[], Any]) -> None:
        """Give it an act; returns when it stands before its first statement, or is done."""
        self._arrived.clear()
        self.standing = Standing.RUNNING
        self._acts.put(act)
        self._await_arrival()

    @property
    def may_free_locks(self) -> bool:
        """Whether what it stands before ends a transaction, or undoes a part of one.

        Nobody else who waits for a lock has to be looked at before that.
        """
        at = self.waits_at
        return at is None or at.is_durable_after or at.what.startswith(ROLLBACK)

    def step(self) -> None:
        """Let it run to its next boundary."""
        self._arrived.clear()
        self.standing = Standing.RUNNING
        self._go.release()

    def look(self, observer: "Observer") -> None:
        """See where it is now; returns when it stands somewhere: waiting, blocked or done."""
        waited = 0.0
        while not self._arrived.wait(PROBE_SECONDS):
            if observer.is_blocked(self.backend_pid):
                self.standing = Standing.BLOCKED
                return
            waited += PROBE_SECONDS
            if waited > LONGEST_STEP_SECONDS:
                raise TimeoutError(f"lane {self.number} neither moves nor waits: {self.waits_at}")

    def await_release(self) -> None:
        """Wait until it is blocked no more: PostgreSQL gave it the lock, or an error."""
        if self.standing is Standing.BLOCKED:
            self._arrived.wait(LONGEST_STEP_SECONDS)

    def _await_arrival(self) -> None:
        if not self._arrived.wait(LONGEST_STEP_SECONDS):
            raise TimeoutError(f"lane {self.number} did not begin")

    def _serve(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            self.backend_pid = cursor.fetchone()[0]
        self._arrived.set()
        while (act := self._acts.get()) is not None:
            self._run(act)
        connection.close()

    def _run(self, act: Callable[[], Any]) -> None:
        try:
            with watched(self._at_boundary):
                self.outcome = act()
        except Refusal as refusal:
            self.outcome = refusal
        except Exception as error:
            self.outcome = error
        self.standing, self.waits_at = Standing.DONE, None
        self._arrived.set()

    def _at_boundary(self, boundary: Boundary) -> None:
        if boundary.moment != BEFORE:
            return
        self.waits_at, self.standing = boundary, Standing.WAITING
        self._arrived.set()
        self._go.acquire()


class Observer:
    """A connection of its own that sees who waits for whose lock."""

    def __init__(self, superuser_url: str) -> None:
        self._connection = psycopg.connect(superuser_url, autocommit=True)

    def is_blocked(self, backend_pid: int) -> bool:
        """Whether that backend waits for a lock that another holds."""
        row = self._connection.execute(
            "SELECT cardinality(pg_blocking_pids(%s)) > 0", [backend_pid]
        ).fetchone()
        return bool(row and row[0])

    def close(self) -> None:
        """Disconnect."""
        self._connection.close()
