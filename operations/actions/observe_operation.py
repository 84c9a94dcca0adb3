"""Registering again observes: the same request is found, a different one is a conflict."""

from typing import Any

from operations import clock
from operations.actions.apply_event import record_change
from operations.actions.ask_approval import latest_request
from operations.actions.registration import Registration
from operations.actors import Actor
from operations.models import Approval, Operation
from operations.protocol.payloads import differences, parse_json
from operations.protocol.refusals import KeyReused, Refusal
from operations.protocol.states import ApprovalStatus
from operations.registry import money_of

COMPARED = ("kind", "receiver", "executor", "reference", "supersedes", "compensates")


def observe(operation: Operation, wanted: Registration, *, actor: Actor) -> Refusal | None:
    """Count the asking on an open approval request; a KeyReused refusal when anything differs.

    Needs the operation's row lock. Both are recorded in the trail.
    """
    found = _request_differences(operation, wanted)
    if found:
        record_change(
            operation,
            "key_reused",
            actor=actor,
            at=clock.now(),
            bumps_version=False,
            detail={"differences": [d["pointer"] for d in found]},
        )
        return KeyReused(
            key=operation.key, differences=found, count=len(found), operation_id=operation.pk
        )
    request = latest_request(operation)
    at = clock.now() if request and request.status == ApprovalStatus.OPEN else None
    if request and at and request.expires_at > at:
        count = request.asked_count + 1
        Approval.objects.filter(pk=request.pk).update(asked_count=count)
        record_change(
            operation,
            "ask_again_observed",
            actor=actor,
            at=at,
            bumps_version=False,
            detail={"approval": request.pk, "asked_count": count},
        )
    return None


def _request_differences(operation: Operation, wanted: Registration) -> list[dict[str, Any]]:
    found = []
    for name in COMPARED:
        had, got = getattr(operation, name), getattr(wanted, name)
        if name in ("supersedes", "compensates"):
            had = str(getattr(operation, f"{name}_id") or "")
        if str(had) != str(got):
            found.append(
                {"pointer": f"/{name}", "expected": str(had), "got": str(got), "reason": "value"}
            )
    payload = parse_json(operation.payload_text)
    amount = money_of(operation.kind, payload)
    for row in differences(payload, wanted.payload, money=amount):
        found.append({**row._asdict(), "pointer": f"/payload{row.pointer}"})
    return found
