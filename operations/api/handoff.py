"""The packet for whoever takes over: it needs no other memory."""

from typing import Any

from operations.api.representation import (
    attempt_members,
    lookup_members,
    next_action_members,
    operation_members,
    receipt_members,
)
from operations.models import Attempt, Lookup, Receipt
from operations.protocol.states import LookupResult, Verdict
from operations.queries.operation_records import OperationHistory, OperationRecord


def handoff_members(record: OperationRecord, history: OperationHistory) -> dict[str, Any]:
    """Goal, exact state, evidence, known failures, allowed next action."""
    operation = record.operation
    members = operation_members(record)
    return {
        "goal": operation.goal or operation.title,
        "state": members["state"],
        "state_since": operation.state_since,
        "evidence": {
            "attempts": [attempt_members(attempt) for attempt in history.attempts],
            "receipts": [receipt_members(receipt) for receipt in history.receipts],
            "lookups": [lookup_members(lookup) for lookup in history.lookups],
        },
        "known_failures": known_failures(record, history),
        "next_action": next_action_members(record),
        "idempotency_key": operation.idempotency_key,
        "operation": members,
    }


def known_failures(record: OperationRecord, history: OperationHistory) -> list[dict[str, Any]]:
    """What went wrong so far, oldest first: {at, what, detail}."""
    found = [
        *(failure for attempt in history.attempts for failure in _of_attempt(attempt)),
        *(failure for receipt in history.receipts for failure in _of_receipt(receipt)),
        *(failure for lookup in history.lookups for failure in _of_lookup(lookup)),
        *(
            _failure(review.opened_at, f"review {review.question}", review.reason)
            for review in record.operation.reviews.filter(closed_at=None)
        ),
    ]
    return sorted(found, key=lambda failure: failure["at"])


def _of_attempt(attempt: Attempt) -> list[dict[str, Any]]:
    number = f"attempt {attempt.generation}"
    ends = list(attempt.ends.all())
    if not ends:
        told = f"Marked by {attempt.sender}, who has not said how it ended."
        return [_failure(attempt.marked_at, f"{number} open", told)]
    return [
        _failure(end.at, f"{number} {end.outcome}", end.detail)
        for end in ends
        if end.outcome != "receipt"
    ]


def _of_receipt(receipt: Receipt) -> list[dict[str, Any]]:
    if receipt.verdict in (Verdict.CONFIRMED, Verdict.ALREADY_CONFIRMED):
        return []
    places = ", ".join(each["pointer"] or "the payload" for each in receipt.differences[:5])
    told = f"It says {receipt.status}" + (f" and differs at {places}." if places else ".")
    return [_failure(receipt.received_at, f"{receipt.channel} receipt {receipt.verdict}", told)]


def _of_lookup(lookup: Lookup) -> list[dict[str, Any]]:
    if lookup.result == LookupResult.FOUND:
        return []
    return [_failure(lookup.answered_at, f"lookup {lookup.result}", lookup.detail)]


def _failure(at: Any, what: str, detail: str) -> dict[str, Any]:
    return {"at": at, "what": what, "detail": detail}
