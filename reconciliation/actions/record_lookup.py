"""One lookup is written down, and what follows from it, in one transaction (rule 5)."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from operations import clock, rows
from operations.actions.apply_event import lock_operation, record_change
from operations.actions.open_review import open_review
from operations.actions.record_receipt import record_receipt
from operations.actions.take_slot import end_claim
from operations.actors import Actor
from operations.models import Lookup, Operation, Receipt
from operations.protocol.receipts import Receipt as ReceiptValue
from operations.protocol.states import Channel, ClaimEnd, LookupResult
from operations.protocol.words import storable
from operations.queries.last_call import last_call_of
from operations.receivers.base import Observation
from operations.registry import profile_of
from reconciliation.actions.looked import LOOKED_UP_STATES, looked_at
from reconciliation.actions.lookup_row import (
    Asked,
    detail_of,
    lookup_row,
    next_try_at,
    receipts_in,
    unasked_since,
)
from reconciliation.actions.note_answer import note_answer
from reconciliation.protocol.verdicts import conclude


@transaction.atomic(durable=True)
def record_lookup(*, asked: Asked, seen: Observation, actor: Actor) -> Lookup:
    """The lookup's row; a receipt that was found is recorded on the receiver's own authority.

    Then the next look is scheduled and the slot is free again. A lookup that found nothing moves
    no version. When the claim was replaced meanwhile, the schedule is left to its new holder.
    """
    operation = lock_operation(asked.operation_id)
    found, seen = receipts_in(seen)
    receipt = _take_in(operation, found, seen, actor)
    operation = lock_operation(asked.operation_id)  # as it is after the receipt
    now = clock.now()
    lookup = rows.insert(lookup_row(operation, asked, seen, receipt=receipt, at=now))
    _go_on(operation, lookup, seen, actor=actor, at=now)
    return lookup


def _take_in(
    operation: Operation, found: Sequence[ReceiptValue], seen: Observation, actor: Actor
) -> Receipt | None:
    recorded = [
        record_receipt(
            operation_id=operation.pk,
            value=value,
            channel=Channel.LOOKUP,
            raw=seen.raw,
            actor=actor,
        )
        for value in found
    ]
    return recorded[0].receipt if recorded else None


def _go_on(
    operation: Operation, lookup: Lookup, seen: Observation, *, actor: Actor, at: datetime
) -> None:
    """Free the slot, schedule the next look and open the question that follows, if one does."""
    profile = profile_of(operation)
    since = unasked_since(operation, lookup)
    last_at = last_call_of(operation, profile)
    looked = looked_at(
        operation,
        result=LookupResult(lookup.result),
        asked_at=lookup.asked_at,
        last_call_at=last_at,
        since=since,
        detail=lookup.detail,
    )
    conclusion = conclude(looked, profile)
    changes: dict[str, Any] = {}
    if operation.claim_token == lookup.token and not operation.claim_given_back:
        end_claim(operation, end=ClaimEnd.FINISHED, at=at)
        changes = {"claim_given_back": True, "could_not_ask_since": since}
        # One that people released meanwhile is due for its dispatch; that stays as it is.
        if operation.state in LOOKED_UP_STATES:
            changes["next_try_at"] = next_try_at(
                profile,
                conclusion=conclusion,
                seen=seen,
                look_count=operation.lookups.filter(generation=operation.generation).count(),
                last_call_at=last_at,
                at=at,
            )
    record_change(
        operation,
        "look_up",
        actor=actor,
        at=at,
        changes=changes,
        bumps_version=False,
        token=lookup.token,
        detail=detail_of(lookup),
    )
    if conclusion.question:
        open_review(
            operation,
            conclusion.question,
            reason=storable(conclusion.reason),
            actor=actor,
            at=at,
            receipt=lookup.receipt,
        )
    note_answer(operation, profile, seen, token=lookup.token, actor=actor, at=at)
