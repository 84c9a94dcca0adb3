"""What the answers to many lookups are judged by, in one round trip, after the rows' locks."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

# The effect is asked for by the receiver that one of them has: it is the same for all.
_STANDINGS = """
    SELECT g.id, clock_timestamp(),
        (SELECT count(*) FROM operations_attempt a WHERE a.operation_id = g.id),
        (SELECT count(*) FROM operations_lookup l
            WHERE l.operation_id = g.id AND l.generation = g.generation),
        EXISTS (SELECT 1 FROM operations_operation e
            WHERE e.environment = %(environment)s AND e.receiver = %(receiver)s
                AND e.effect_id = g.effect_id AND e.effect_id <> '' AND e.id <> g.id),
        EXISTS (SELECT 1 FROM operations_receipt p
            WHERE p.operation_id = g.id AND p.channel = 'lookup'),
        EXISTS (SELECT 1 FROM operations_review r
            WHERE r.operation_id = g.id AND r.closed_at IS NULL)
        OR EXISTS (SELECT 1 FROM operations_approval p
            WHERE p.operation_id = g.id AND p.status = 'open')
    FROM unnest(%(ids)s::uuid[], %(generations)s::int[], %(effects)s::text[])
        AS g(id, generation, effect_id)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerAbout:
    """One operation, and the effect that the answer names ("" for none)."""

    operation_id: UUID
    generation: int
    effect_id: str


@dataclass(frozen=True, slots=True)
class LookupStanding:
    """How one operation stands. `look_count`: lookups of its generation before this one.

    `has_record`: a lookup has brought a receipt before. `is_before_people`: a review or a request
    is open.
    """

    now: datetime
    attempt_count: int
    look_count: int
    is_effect_taken: bool
    has_record: bool
    is_before_people: bool


def lookup_standings(
    asked: Sequence[AnswerAbout], *, environment: str, receiver: str
) -> dict[UUID, LookupStanding]:
    """By operation, all of one receiver in one environment."""
    values: dict[str, Any] = {
        "environment": environment,
        "receiver": receiver,
        "ids": [each.operation_id for each in asked],
        "generations": [each.generation for each in asked],
        "effects": [each.effect_id for each in asked],
    }
    with connection.cursor() as cursor:
        cursor.execute(_STANDINGS, values)
        return {row[0]: LookupStanding(*row[1:]) for row in cursor.fetchall()}
