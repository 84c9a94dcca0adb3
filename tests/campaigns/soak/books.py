"""The receiver's own books, and what the record leaves to people."""

import sqlite3
from dataclasses import dataclass
from pathlib import Path

import psycopg

LEFT = """
    SELECT o.id::text, o.key, o.state, o.receiver, o.generation, coalesce(array_agg(r.question)
        FILTER (WHERE r.closed_at IS NULL), '{}')
    FROM operations_operation o LEFT JOIN operations_review r ON r.operation_id = o.id
    GROUP BY o.id HAVING o.state IN ('awaiting_approval', 'sent_unknown')
        OR bool_or(r.id IS NOT NULL AND r.closed_at IS NULL)
    ORDER BY o.created_at
"""
STATES = "SELECT DISTINCT state_after FROM operations_auditentry WHERE state_after <> ''"
RELEASES = "SELECT count(*) FROM operations_auditentry WHERE event = 'release'"


@dataclass(frozen=True, slots=True)
class Case:
    """An operation that waits for somebody, and the open questions about it."""

    id: str
    key: str
    state: str
    receiver: str
    generation: int
    questions: list[str]


def cases(url: str) -> list[Case]:
    """Everything that waits for a person, or is not settled after it was sent; oldest first."""
    with psycopg.connect(url) as connection:
        return [Case(*row) for row in connection.execute(LEFT)]


def states_seen(url: str) -> list[str]:
    """Every state that some operation was in, by the trail."""
    with psycopg.connect(url) as connection:
        return sorted(state for (state,) in connection.execute(STATES))


def releases(url: str) -> int:
    """How many times people allowed one more send."""
    with psycopg.connect(url) as connection:
        row = connection.execute(RELEASES).fetchone()
        return int(row[0]) if row else 0


def effects_of(key: str, store: Path) -> list[str]:
    """The ids of its effects, as somebody at the receiver reads them out."""
    path = store / "production.sqlite3"
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30) as connection:
        query = "SELECT effect_id FROM effects WHERE operation_id = ? ORDER BY id"
        found = [effect for (effect,) in connection.execute(query, (key,))]
    connection.close()
    return found
