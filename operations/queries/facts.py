"""Collects what the protocol needs to judge operations: one statement, however many there are.

One statement sees one instant: what is read here never mixes the record before another's commit
with the record after it.
"""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import connection

from operations.models import Operation
from operations.protocol.choices import AttemptFacts, Facts, LookupFacts, ReceiptFacts
from operations.protocol.states import (
    ApprovalStatus,
    AttemptOutcome,
    Cause,
    Channel,
    ChoiceCode,
    Executor,
    Grade,
    LookupResult,
    Purpose,
    Question,
    ReceiptStatus,
    State,
    Verdict,
)

LOOKUPS_KEPT = 50

# Lists in the order of the members that they become. Lookups are the newest first, attempts and
# receipts the oldest first; the second record that a process is gone closes its attempt.
_FACTS = """
    SELECT o.id, json_build_object(
        'attempts', (SELECT json_agg(json_build_array(a.generation, a.marked_at,
                a.send_deadline_at, e.outcome, e.at, (SELECT g.at FROM operations_sendergone g
                    WHERE g.attempt_id = a.id ORDER BY g.at, g.id OFFSET 1 LIMIT 1))
                ORDER BY a.generation)
            FROM operations_attempt a
            LEFT JOIN operations_attemptend e ON e.attempt_id = a.id AND NOT e.is_stale
            WHERE a.operation_id = o.id),
        'receipts', (SELECT json_agg(json_build_array(r.status, r.verdict, r.channel,
                r.effect_id, r.needs_explanation AND x.id IS NULL, r.received_at)
                ORDER BY r.received_at, r.id)
            FROM operations_receipt r
            LEFT JOIN operations_explanation x ON x.receipt_id = r.id
            WHERE r.operation_id = o.id),
        'stale_reports', (SELECT json_agg(e.at ORDER BY a.generation, e.id)
            FROM operations_attempt a
            JOIN operations_attemptend e ON e.attempt_id = a.id AND e.is_stale
            LEFT JOIN operations_explanation x ON x.attempt_end_id = e.id
            WHERE a.operation_id = o.id AND x.id IS NULL),
        'lookups', (SELECT json_agg(json_build_array(l.asked_at, l.result) ORDER BY l.asked_at DESC)
            FROM (SELECT asked_at, result FROM operations_lookup
                WHERE operation_id = o.id ORDER BY asked_at DESC LIMIT %(lookups)s) l),
        'questions', (SELECT json_agg(v.question) FROM operations_review v
            WHERE v.operation_id = o.id AND v.closed_at IS NULL),
        'request', (SELECT json_build_array(p.status, p.expires_at) FROM operations_approval p
            WHERE p.operation_id = o.id AND p.subject <> 'proposal' ORDER BY p.id DESC LIMIT 1),
        'proposal', (SELECT json_build_array(p.choice, p.expires_at) FROM operations_approval p
            WHERE p.operation_id = o.id AND p.subject = 'proposal' AND p.status = 'open'
            ORDER BY p.id DESC LIMIT 1),
        'is_halted', EXISTS (SELECT FROM operations_halt h WHERE h.lifted_at IS NULL
            AND h.environment IN ('', o.environment) AND h.receiver IN ('', o.receiver))
    )::text
    FROM operations_operation o WHERE o.id = ANY(%(ids)s)
"""


def facts_of(operation: Operation, *, viewer: str = "") -> Facts:
    """The facts about one operation, as the caller's transaction sees them."""
    return facts_of_many([operation], viewer=viewer)[operation.pk]


def facts_of_many(operations: Sequence[Operation], *, viewer: str = "") -> dict[Any, Facts]:
    """Facts by operation id: one query, however many operations there are.

    What stands on the rows themselves is taken from `operations`, as they were read.
    """
    ids = [operation.pk for operation in operations]
    with connection.cursor() as cursor:
        cursor.execute(_FACTS, {"ids": ids, "lookups": LOOKUPS_KEPT})
        found = {pk: json.loads(told) for pk, told in cursor.fetchall()}
    return {
        operation.pk: _facts(operation, found[operation.pk], viewer=viewer)
        for operation in operations
    }


def _facts(operation: Operation, found: dict[str, Any], *, viewer: str) -> Facts:
    approval_status, approval_expires_at = found["request"] or (None, None)
    proposal_open, proposal_expires_at = found["proposal"] or (None, None)
    holds = not operation.claim_given_back
    return Facts(
        state=State(operation.state),
        cause=Cause(operation.cause) if operation.cause else None,
        grade=Grade(operation.grade) if operation.grade else None,
        executor=Executor(operation.executor),
        version=operation.version,
        generation=operation.generation,
        created_at=operation.created_at,
        state_since=operation.state_since,
        attempts=tuple(_attempt(*row) for row in found["attempts"] or ()),
        receipts=(
            *(_receipt(row) for row in found["receipts"] or ()),
            *(_stale_report(at) for at in found["stale_reports"] or ()),
        ),
        lookups=tuple(
            LookupFacts(asked_at=datetime.fromisoformat(asked_at), result=LookupResult(result))
            for asked_at, result in found["lookups"] or ()
        ),
        open_questions=frozenset(Question(question) for question in found["questions"] or ()),
        approval_status=ApprovalStatus(approval_status) if approval_status else None,
        approval_expires_at=_instant(approval_expires_at),
        machine_claim_purpose=(
            Purpose(operation.claim_purpose) if operation.claim_purpose and holds else None
        ),
        machine_claim_expires_at=operation.claim_expires_at if holds else None,
        review_holder=operation.review_holder.username if operation.review_holder else None,
        review_expires_at=operation.review_expires_at,
        next_try_at=operation.next_try_at,
        is_halted=found["is_halted"],
        proposal_open=ChoiceCode(proposal_open) if proposal_open else None,
        claims_without_mark=operation.claims_without_mark,
        viewer=viewer or None,
        proposal_expires_at=_instant(proposal_expires_at),
    )


def _instant(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _attempt(
    generation: int,
    marked_at: str,
    send_deadline_at: str,
    outcome: str | None,
    ended_at: str | None,
    gone_at: str | None,
) -> AttemptFacts:
    return AttemptFacts(
        generation=generation,
        marked_at=datetime.fromisoformat(marked_at),
        send_deadline_at=datetime.fromisoformat(send_deadline_at),
        outcome=AttemptOutcome(outcome) if outcome else None,
        gone_recorded=bool(gone_at),
        closed_at=_instant(ended_at or gone_at),
    )


def _receipt(row: Sequence[Any]) -> ReceiptFacts:
    status, verdict, channel, effect_id, is_unexplained, received_at = row
    return ReceiptFacts(
        status=ReceiptStatus(status),
        verdict=Verdict(verdict),
        channel=Channel(channel),
        effect_id=effect_id or None,
        is_unexplained=is_unexplained,
        received_at=datetime.fromisoformat(received_at),
    )


def _stale_report(at: str) -> ReceiptFacts:
    """A late report of an end speaks of an effect as much as a late receipt does (rule 4)."""
    return ReceiptFacts(
        status=ReceiptStatus.PENDING,
        verdict=Verdict.KEPT,
        channel=Channel.RESPONSE,
        effect_id=None,
        is_unexplained=True,
        received_at=datetime.fromisoformat(at),
    )
