"""What rows of a statement are compared with: one query for many rows, never one a row."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import connection

from operations.protocol.payloads import parse_json
from operations.protocol.states import Channel, State
from operations.registry import money_of
from reconciliation.protocol.statements.outcomes import (
    SETTLING,
    Content,
    Outcome,
    Road,
    Standing,
)

_STANDINGS = """
    SELECT o.key, o.id, o.kind, o.payload_text, o.state, o.grade, o.effect_id, o.version,
        (SELECT count(*) FROM operations_attempt a WHERE a.operation_id = o.id)
    FROM operations_operation o
    WHERE o.environment = %s AND o.receiver = %s AND o.key = ANY(%s)
"""
_HOLDERS = """
    SELECT effect_id, id FROM operations_operation
    WHERE environment = %s AND receiver = %s AND effect_id <> '' AND effect_id = ANY(%s)
"""
# Each half by its index: receipts of operations, and those that have none.
_KEPT = """
    SELECT operation_key, status, effect_id, payload_digest, occurred_at, operation_id IS NULL,
        count(*), count(*) FILTER (WHERE channel IN ('statement', 'person'))
    FROM (
        SELECT operation_key, status, effect_id, payload_digest, occurred_at, operation_id, channel
            FROM operations_receipt WHERE operation_id = ANY(%(ids)s)
        UNION ALL
        SELECT operation_key, status, effect_id, payload_digest, occurred_at, operation_id, channel
            FROM operations_receipt WHERE operation_id IS NULL
                AND environment = %(environment)s AND receiver = %(receiver)s
                AND operation_key = ANY(%(keys)s)
    ) kept
    WHERE channel = ANY(%(channels)s)
    GROUP BY 1, 2, 3, 4, 5, 6
"""
_EARLIER = """
    SELECT fingerprint, count(*) FROM reconciliation_statementrow
    WHERE run_id = %s AND fingerprint = ANY(%s) GROUP BY 1
"""
_SETTLED = """
    SELECT operation_id, outcome, effect_id FROM reconciliation_statementrow
    WHERE run_id = %(run)s AND outcome = ANY(%(outcomes)s) AND outcome IN ('confirms', 'refuses')
        AND (operation_id = ANY(%(ids)s) OR effect_id = ANY(%(effects)s))
"""
# An upload is no receiver's own word: it makes none of what a machine fetched known already.
_COUNTED = {
    Road.MACHINE: [Channel.LOOKUP, Channel.WEBHOOK, Channel.STATEMENT],
    Road.PERSON: [Channel.LOOKUP, Channel.WEBHOOK, Channel.STATEMENT, Channel.PERSON],
}


@dataclass(frozen=True, slots=True)
class Place:
    """Whose channel the rows came through."""

    environment: str
    receiver: str


@dataclass(slots=True)
class Settled:
    """What operations and effects became by rows further up: `states` as (state, effect id)."""

    states: dict[UUID, tuple[State, str]] = field(default_factory=dict)
    holders: dict[str, UUID] = field(default_factory=dict)

    def add(self, operation_id: UUID, outcome: Outcome, effect_id: str) -> None:
        """A row settles this operation, in the order of the file."""
        state = SETTLING[outcome]
        taken = effect_id if state is State.CONFIRMED else ""
        self.states[operation_id] = (state, taken)
        if taken:
            self.holders[taken] = operation_id


@dataclass(slots=True)
class Kept:
    """How often the same words are kept. `orphans` have no operation."""

    tied: int = 0
    tied_by_statement: int = 0
    orphans: int = 0


def standings(place: Place, keys: Collection[str]) -> dict[str, Standing]:
    """The operations of those keys at this very receiver, by key."""
    with connection.cursor() as cursor:
        cursor.execute(_STANDINGS, [place.environment, place.receiver, list(keys)])
        rows = cursor.fetchall()
    return {row[0]: _standing(place, row) for row in rows}


def _standing(place: Place, row: tuple) -> Standing:  # type: ignore[type-arg]
    key, own_id, kind, payload_text, state, grade, effect_id, version, attempt_count = row
    payload = parse_json(payload_text)
    return Standing(
        id=own_id,
        key=key,
        environment=place.environment,
        payload=payload,
        money=money_of(kind, payload),
        state=State(state),
        grade=grade,
        effect_id=effect_id,
        version=version,
        attempt_count=attempt_count,
    )


def effect_holders(place: Place, effect_ids: Collection[str]) -> dict[str, UUID]:
    """The operations that these effects confirmed."""
    with connection.cursor() as cursor:
        cursor.execute(_HOLDERS, [place.environment, place.receiver, list(effect_ids)])
        return dict(cursor.fetchall())


def kept_words(
    place: Place, road: Road, contents: Iterable[Content], ids: Collection[UUID]
) -> dict[Content, Kept]:
    """How often each of these words is kept already, of the operations `ids` and of none."""
    wanted = {content.key for content in contents}
    values: dict[str, Any] = {
        "ids": list(ids),
        "environment": place.environment,
        "receiver": place.receiver,
        "keys": list(wanted),
        "channels": [str(channel) for channel in _COUNTED[road]],
    }
    found: dict[Content, Kept] = defaultdict(Kept)
    with connection.cursor() as cursor:
        cursor.execute(_KEPT, values)
        for *words, is_orphan, count, by_statement in cursor.fetchall():
            kept = found[Content(*words)]
            if is_orphan:
                kept.orphans += count
            else:
                kept.tied += count
                kept.tied_by_statement += by_statement
    return found


def earlier_rows(run_id: int, fingerprints: Collection[UUID]) -> dict[UUID, int]:
    """How many rows further up said the same."""
    with connection.cursor() as cursor:
        cursor.execute(_EARLIER, [run_id, list(fingerprints)])
        return dict(cursor.fetchall())


def settled_above(run_id: int, ids: Collection[UUID], effect_ids: Collection[str]) -> Settled:
    """What rows further up settle of these operations and by these effects."""
    values: dict[str, Any] = {
        "run": run_id,
        "outcomes": [str(outcome) for outcome in SETTLING],
        "ids": list(ids),
        "effects": list(effect_ids),
    }
    settled = Settled()
    with connection.cursor() as cursor:
        cursor.execute(_SETTLED, values)
        for operation_id, outcome, effect_id in cursor.fetchall():
            settled.add(operation_id, Outcome(outcome), effect_id)
    return settled
