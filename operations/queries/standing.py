"""Everything that a mark or a report is judged by, in one round trip each, after the row's lock."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection

from operations import clock
from operations.models import Operation

_MARK = """
    SELECT clock_timestamp(),
        (SELECT a.marked_at FROM operations_attempt a
            WHERE a.operation_id = %(id)s AND a.generation = %(generation)s),
        (SELECT h.id FROM operations_halt h
            WHERE h.lifted_at IS NULL AND h.environment IN ('', %(environment)s)
                AND h.receiver IN ('', %(receiver)s) ORDER BY h.at LIMIT 1),
        EXISTS (SELECT 1 FROM operations_approval p
            WHERE p.operation_id = %(id)s AND p.subject <> 'proposal'),
        (SELECT r.question FROM operations_review r
            WHERE r.operation_id = %(id)s AND r.closed_at IS NULL AND r.question <> 'stalled'
            ORDER BY r.opened_at LIMIT 1),
        COALESCE(
            (SELECT 'receipt ' || e.id FROM operations_receipt e
                WHERE e.operation_id = %(id)s AND e.needs_explanation AND NOT EXISTS (
                    SELECT 1 FROM operations_explanation x WHERE x.receipt_id = e.id)
                ORDER BY e.id LIMIT 1),
            (SELECT 'late report ' || e.id FROM operations_attempt a
                JOIN operations_attemptend e ON e.attempt_id = a.id AND e.is_stale
                WHERE a.operation_id = %(id)s AND NOT EXISTS (
                    SELECT 1 FROM operations_explanation x WHERE x.attempt_end_id = e.id)
                ORDER BY e.id LIMIT 1)),
        (SELECT c.id FROM operations_claim c
            WHERE c.token = %(token)s AND c.operation_id = %(id)s AND c.slot = 'machine'
                AND c.agent_id IS NOT DISTINCT FROM %(agent_id)s)
"""

_REPORT = """
    SELECT clock_timestamp(),
        (SELECT count(*) FROM operations_attempt a WHERE a.operation_id = %(id)s),
        (SELECT c.end FROM operations_claim c
            WHERE c.token = %(token)s AND c.operation_id = %(id)s AND c.slot = 'machine'
                AND c.agent_id IS NOT DISTINCT FROM %(agent_id)s),
        (SELECT a.id FROM operations_attempt a
            WHERE a.operation_id = %(id)s AND a.token = %(token)s),
        EXISTS (SELECT 1 FROM operations_attempt a JOIN operations_attemptend e
            ON e.attempt_id = a.id AND NOT e.is_stale
            WHERE a.operation_id = %(id)s AND a.token = %(token)s),
        EXISTS (SELECT 1 FROM operations_operation o
            WHERE o.environment = %(environment)s AND o.receiver = %(receiver)s
                AND o.effect_id = %(effect_id)s AND o.effect_id <> '' AND o.id <> %(id)s),
        EXISTS (SELECT 1 FROM operations_review r
            WHERE r.operation_id = %(id)s AND r.closed_at IS NULL),
        EXISTS (SELECT 1 FROM operations_approval p
            WHERE p.operation_id = %(id)s AND p.status = 'open')
"""


@dataclass(frozen=True, slots=True)
class MarkStanding:
    """What stands in the way of a mark; None where nothing does.

    `claim_id` is None when the token is not the sender's own here.
    """

    now: datetime
    marked_at: datetime | None
    halt_id: int | None
    has_request: bool
    review: str | None
    evidence: str | None
    claim_id: int | None


@dataclass(frozen=True, slots=True)
class ReportStanding:
    """What a report meets. `claim_end` is None when the token is not the reporter's own here."""

    now: datetime
    attempt_count: int
    claim_end: str | None
    attempt_id: int | None
    is_attempt_ended: bool
    is_effect_taken: bool
    has_open_review: bool
    has_open_request: bool


def mark_standing(operation: Operation, *, agent_id: int | None, token: int | None) -> MarkStanding:
    """For a mark of the operation's present generation; its row is locked by the caller.

    `agent_id` is the agent that sends; the console's own parts have none.
    """
    return MarkStanding(*_one(_MARK, operation, {"agent_id": agent_id, "token": token}))


def report_standing(
    operation: Operation, *, agent_id: int | None, token: int | None, effect_id: str | None
) -> ReportStanding:
    """For a report about the operation; its row is locked by the caller.

    `agent_id` is the agent that reports; the console's own parts have none.
    """
    given = {"agent_id": agent_id, "token": token, "effect_id": effect_id or ""}
    return ReportStanding(*_one(_REPORT, operation, given))


def _one(statement: str, operation: Operation, given: Mapping[str, str | int | None]) -> list[Any]:
    values: dict[str, UUID | str | int | None] = {
        "id": operation.pk,
        "generation": operation.generation,
        "environment": operation.environment,
        "receiver": operation.receiver,
        **given,
    }
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        row = cursor.fetchone()
    assert row is not None
    return [row[0] - timedelta(seconds=clock.ago_seconds()), *row[1:]]
