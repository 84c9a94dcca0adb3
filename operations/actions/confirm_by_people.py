"""People say that a kept receipt is this operation's effect: it is confirmed, graded by channel."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction

from operations.actions.apply_event import apply_event
from operations.actions.begin_decision import Begun, basis
from operations.actions.closed_choice import closed
from operations.actions.explain_evidence import explain
from operations.actions.settle import close_what_settling_answers
from operations.models import Receipt
from operations.protocol.refusals import ChoiceClosed
from operations.protocol.states import (
    OPEN_STATES,
    ChoiceCode,
    Finding,
    Grade,
    ReceiptStatus,
    State,
)
from operations.protocol.transitions import Event


def confirm_by_people(
    begun: Begun,
    row: Receipt,
    *,
    choice: ChoiceCode,
    finding: Finding,
    grade: Grade,
    reason: str,
    detail: Mapping[str, Any],
) -> None:
    """`confirmed` with this receipt's effect: from an open state with an attempt, or corrected.

    Raises ChoiceClosed when the receipt names no effect, when its effect confirmed another
    operation, or when nothing was ever sent.
    """
    operation = begun.operation
    is_open = operation.state in OPEN_STATES
    if operation.state == State.CONFIRMED:
        raise closed(choice, "wrong_state", "it is confirmed already.", "Read its receipts.")
    if is_open and not begun.facts.attempts:
        raise closed(
            choice,
            "no_attempt",
            "nothing was sent, so no receipt can be its own.",
            "Say that it is not ours, or cancel the operation first.",
        )
    _require_effect(row, choice)
    said = {"receipt": row.pk, "effect_id": row.effect_id, "channel": row.channel, **detail}
    try:
        with transaction.atomic():
            apply_event(
                operation,
                Event.CONFIRM if is_open else Event.CORRECT,
                actor=begun.actor,
                at=begun.at,
                changes={
                    "effect_id": row.effect_id,
                    "grade": str(grade),
                    "cause": "",
                    "next_try_at": _lookup_due_at(begun, grade),
                },
                reason=reason,
                detail={**basis(begun), **said},
            )
    except IntegrityError:  # the database knows of every effect that confirmed something
        raise _taken(choice, row.effect_id) from None
    if row.needs_explanation:
        explain(row, begun=begun, finding=finding, reason=reason)
    close_what_settling_answers(operation, actor=begun.actor, at=begun.at)


def _lookup_due_at(begun: Begun, grade: Grade) -> datetime | None:
    """What only an agent reported is looked up after the lag, where it can be (section 2)."""
    if grade != Grade.RECEIPT_REPORTED or not begun.profile.has_lookup:
        return None
    return begun.at + timedelta(seconds=begun.profile.lookup_lag_seconds)


def _require_effect(row: Receipt, choice: ChoiceCode) -> None:
    if row.status != ReceiptStatus.CONFIRMED or not row.effect_id:
        raise closed(
            choice,
            "not_proof",
            f"the receipt says {row.status}, and names {row.effect_id or 'no effect'}.",
            "Ask the receiver for the record of the effect itself.",
        )


def _taken(choice: ChoiceCode, effect_id: str) -> ChoiceClosed:
    return closed(
        choice,
        "effect_taken",
        f"effect {effect_id} confirmed another operation, and one effect confirms one.",
        "Ask the receiver which of the two it belongs to.",
    )
