"""One operation as the product shows it, beside what the reference says of it."""

from collections.abc import Iterator
from typing import Any

from operations.protocol.states import ApprovalStatus, ChoiceCode
from tests.campaigns.stateful.cast import VIEWER
from tests.campaigns.stateful.product import Seen
from tests.campaigns.stateful.reference.record import Record
from tests.campaigns.stateful.reference.rule3 import reasons


def differences(record: Record, seen: Seen) -> Iterator[str]:
    """What differs, one sentence each; of choices, what is open and each reason said."""
    for name, expected in _expected(record).items():
        got = _got(seen, name)
        if got != expected:
            yield f"{name}: the rules say {expected!r}, the product {got!r}"
    for choice in seen["choices"]:
        code = ChoiceCode(choice.code)
        true_ones = reasons(record, code, viewer=VIEWER)
        said = {blocker.code for blocker in choice.blockers}
        if choice.is_open != (not true_ones) or not said <= true_ones:
            yield f"choice {code}: closed by the rules for {true_ones}, by the product for {said}"


def _expected(record: Record) -> dict[str, Any]:
    request, claim = record.request, record.claim
    return {
        "state": record.state,
        "cause": record.cause or None,
        "grade": record.grade or None,
        "effect_id": record.effect or None,
        "executed": record.executed,
        "generation": record.generation,
        "open_reviews": sorted(record.reviews),
        "is_reversed": record.is_reversed,
        "unexplained": len(record.unexplained),
        "next_action": record.next_action,
        "claim": claim and claim.purpose,
        "approval": request
        and {
            "status": request.status,
            "needed": request.needed,
            "given": sum(request.answered.values()),
            "asked_count": request.asked,
        },
    }


def _got(seen: Seen, name: str) -> Any:
    if name == "next_action":
        return seen[name]["code"]
    if name == "claim":
        return seen[name] and seen[name]["purpose"]
    if name == "approval" and seen[name]:
        members = {word: seen[name][word] for word in ("status", "needed", "given", "asked_count")}
        return members | {"status": ApprovalStatus(members["status"])}
    return seen[name]
