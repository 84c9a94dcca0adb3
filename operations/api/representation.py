"""How an operation and its evidence are told in JSON (the contract's members, and no row ids)."""

from typing import Any
from uuid import UUID

from operations.models import Attempt, Lookup, Receipt
from operations.protocol.claims import is_live
from operations.protocol.facts import executed
from operations.protocol.payloads import parse_json
from operations.queries.operation_records import OperationRecord


def operation_members(record: OperationRecord) -> dict[str, Any]:
    """`operation` of the contract, as it reads at the record's instant."""
    operation, facts = record.operation, record.facts
    return {
        "id": str(operation.pk),
        "key": operation.key,
        "environment": operation.environment,
        "kind": operation.kind,
        "receiver": operation.receiver,
        "executor": operation.executor,
        "reference": operation.reference,
        "state": facts.state,
        "cause": facts.cause,
        "grade": facts.grade,
        "executed": executed(facts),
        "version": operation.version,
        "generation": operation.generation,
        "payload_digest": operation.payload_digest,
        "approval": _approval(record),
        "claim": _claim(record),
        "open_reviews": sorted(facts.open_questions),
        "links": _links(record),
        "next_action": next_action_members(record),
        "created_at": operation.created_at,
        "updated_at": operation.updated_at,
        "effect_id": operation.effect_id or None,
        "is_reversed": operation.is_reversed,
        "title": operation.title,
    }


def next_action_members(record: OperationRecord) -> dict[str, Any]:
    """`next_action {code, sentence, remedy, opens_at}`."""
    action = record.next_action
    return {
        "code": action.code,
        "sentence": action.sentence,
        "remedy": action.remedy,
        "opens_at": action.opens_at,
    }


def attempt_members(attempt: Attempt) -> dict[str, Any]:
    """One dispatch; `end` is null while its sender has not said how it ended."""
    ends = sorted(attempt.ends.all(), key=lambda end: end.is_stale)
    counted = next((end for end in ends if not end.is_stale), None)
    return {
        "generation": attempt.generation,
        "token": attempt.token,
        "nonce": attempt.nonce or None,
        "sender": attempt.sender,
        "marked_at": attempt.marked_at,
        "send_deadline_at": attempt.send_deadline_at,
        "send_within_seconds": attempt.send_within_seconds,
        "end": None
        if counted is None
        else {
            "outcome": counted.outcome,
            "detail": counted.detail,
            "status": counted.status,
            "code": counted.code or None,
            "at": counted.at,
        },
        "stale_reports": sum(end.is_stale for end in ends),
    }


def receipt_members(receipt: Receipt) -> dict[str, Any]:
    """The receipt in the contract's form, and what was made of it."""
    said = receipt.payload_text
    members: dict[str, Any] = {
        "operation_id": receipt.operation_key,
        "status": receipt.status,
        "effect_id": receipt.effect_id or None,
        "occurred_at": receipt.occurred_at,
        "environment": receipt.environment,
        "channel": receipt.channel,
        "verdict": receipt.verdict,
        "received_at": receipt.received_at,
        "generation": receipt.generation,
        "is_stale": receipt.is_stale,
        "needs_explanation": receipt.needs_explanation
        and getattr(receipt, "explanation", None) is None,
        "differences": receipt.differences,
        "not_compared": receipt.not_compared,
    }
    if said:
        # It was read once already, perhaps as a part of a deeper text: no limit is met here.
        members["payload"] = parse_json(
            said, max_bytes=len(said) * 4, max_depth=100, keeps_any_text=True
        )
    return members


def lookup_members(lookup: Lookup) -> dict[str, Any]:
    """One question to the receiver; the three results are told apart (rule 5)."""
    return {
        "asked_at": lookup.asked_at,
        "answered_at": lookup.answered_at,
        "result": lookup.result,
        "detail": lookup.detail,
        "status": lookup.status,
    }


def _approval(record: OperationRecord) -> dict[str, Any] | None:
    approval = record.approval
    if approval is None:
        return None
    return {
        "id": approval.pk,
        "status": record.approval_status,
        "subject": approval.subject,
        "needed": approval.needed,
        "given": approval.given,
        "asked_count": approval.asked_count,
        "expires_at": approval.expires_at,
        "valid_until": approval.valid_until,
    }


def _claim(record: OperationRecord) -> dict[str, Any] | None:
    operation, ends_at = record.operation, record.operation.claim_expires_at
    if operation.claim_given_back or ends_at is None or not is_live(ends_at, record.now):
        return None
    return {
        "holder": operation.claim_holder,
        "purpose": operation.claim_purpose,
        "expires_at": ends_at,
    }


def _links(record: OperationRecord) -> dict[str, Any]:
    operation = record.operation
    return {
        "self": f"/api/v1/operations/{operation.pk}",
        "page": f"/operations/{operation.pk}/",
        "supersedes": _id(operation.supersedes_id),
        "superseded_by": [str(pk) for pk in record.superseded_by],
        "compensates": _id(operation.compensates_id),
        "compensated_by": [str(pk) for pk in record.compensated_by],
    }


def _id(pk: UUID | None) -> str | None:
    return None if pk is None else str(pk)
