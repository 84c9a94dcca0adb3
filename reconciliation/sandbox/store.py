"""The durable store: one SQLite file for each environment, a commit is on disk before it counts."""

import re
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reconciliation.sandbox.problems import Problem

FOREVER = 253_402_300_799.0  # the last second of the year 9999, for "until deleted"

SCHEMA = """
CREATE TABLE IF NOT EXISTS requests (
    id INTEGER PRIMARY KEY, operation_id TEXT NOT NULL, idempotency_key TEXT,
    received_at REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS requests_of_operation ON requests (operation_id);
CREATE TABLE IF NOT EXISTS effects (
    id INTEGER PRIMARY KEY, effect_id TEXT NOT NULL UNIQUE, operation_id TEXT NOT NULL,
    payload TEXT NOT NULL, occurred_at TEXT NOT NULL, pending_until REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS effects_of_operation ON effects (operation_id);
CREATE TABLE IF NOT EXISTS keys (
    idempotency_key TEXT PRIMARY KEY, operation_id TEXT NOT NULL, payload TEXT NOT NULL,
    effect_row INTEGER, forgotten_at REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS faults (
    operation_id TEXT NOT NULL, fault TEXT NOT NULL, seconds REAL, times_left INTEGER,
    over_at REAL NOT NULL, armed_at REAL NOT NULL, PRIMARY KEY (operation_id, fault)
);
CREATE TABLE IF NOT EXISTS late_commits (
    id INTEGER PRIMARY KEY, operation_id TEXT NOT NULL, idempotency_key TEXT NOT NULL,
    payload TEXT NOT NULL, due_at REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS webhooks (
    id INTEGER PRIMARY KEY, message_id TEXT NOT NULL, environment TEXT NOT NULL, body TEXT NOT NULL,
    due_at REAL NOT NULL, tries INTEGER NOT NULL, ended_at REAL
);
CREATE INDEX IF NOT EXISTS webhooks_still_due ON webhooks (due_at) WHERE ended_at IS NULL;
"""


class Store:
    """One environment's orders, keys, faults and webhooks to send."""

    def __init__(self, path: Path, environment: str) -> None:
        self.environment = environment
        # One connection under one lock: SQLite has one writer anyway, and every act here is short.
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(
            path, isolation_level=None, check_same_thread=False, timeout=30
        )
        self._connection.row_factory = sqlite3.Row
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.executescript(SCHEMA)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, and on disk when the block ends."""
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the file, after the transaction that is under way."""
        with self._lock:
            self._connection.close()


class Stores:
    """The stores in one folder, opened when first asked for."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._lock = threading.Lock()
        self._open: dict[str, Store] = {}
        for path in folder.glob("*.sqlite3"):
            self.of(path.stem)

    def of(self, environment: str) -> Store:
        """The store of an environment; raises Problem 400 for a name that cannot be one."""
        if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,62}", environment):
            expected = "expected 1 to 63 of a-z, 0-9, - and _"
            raise Problem.bad_request("invalid_environment", f"Environment: {expected}")
        with self._lock:
            if environment not in self._open:
                path = self._folder / f"{environment}.sqlite3"
                self._open[environment] = Store(path, environment)
            return self._open[environment]

    def all(self) -> list[Store]:
        """Every store opened so far, those found on disk at the start included."""
        with self._lock:
            return list(self._open.values())

    def close(self) -> None:
        """Close them all."""
        for store in self.all():
            store.close()
