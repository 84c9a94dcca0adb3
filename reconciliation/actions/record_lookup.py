"""One lookup is written down, and what follows from it, in one transaction (rule 5)."""

import random
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from operations import clock
from operations.actions.apply_event import lock_operation, record_change
from operations.actions.open_review import open_review
from operations.actions.record_receipt import record_receipt
from operations.actions.take_slot import end_claim
from operations.actors import Actor
from operations.models import Lookup, Operation, Receipt
from operations.protocol.profiles import Profile, quarantine_ends_at
from operations.protocol.receipts import InvalidReceipt, parse_receipt
from operations.protocol.states import Channel, ClaimEnd, LookupResult
from operations.protocol.words import shortened, storable
from operations.queries.last_call import last_call_of
from operations.receivers.base import CouldNotAsk, Found, NotFound, Observation
from operations.registry import profile_of
from reconciliation.actions.looked import LOOKED_UP_STATES, looked_at
from reconciliation.actions.note_answer import note_answer
from reconciliation.protocol.schedule import next_look_at
from reconciliation.protocol.verdicts import Conclusion, conclude


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question: `asked_at` is the database's clock before it left, `token` its claim."""

    operation_id: UUID
    generation: int
    token: int
    asked_at: datetime


@transaction.atomic(durable=True)
def record_lookup(*, asked: Asked, seen: Observation, actor: Actor) -> Lookup:
    """The lookup's row; a receipt that was found is recorded on the receiver's own authority.

    Then the next look is scheduled and the slot is free again. A lookup that found nothing moves
    no version. When the claim was replaced meanwhile, the schedule is left to its new holder.
    """
    operation = lock_operation(asked.operation_id)
    receipt, seen = _take_in_receipt(operation, seen, actor)
    operation = lock_operation(asked.operation_id)  # as it is after the receipt
    now = clock.now()
    lookup = Lookup.objects.create(
        operation=operation,
        generation=asked.generation,
        asked_at=asked.asked_at,
        answered_at=now,
        result=str(_result(seen)),
        detail=_detail(seen),
        status=seen.status,
        raw=seen.raw,
        receipt=receipt,
        token=asked.token,
    )
    _go_on(operation, lookup, seen, actor=actor, at=now)
    return lookup


def _take_in_receipt(
    operation: Operation, seen: Observation, actor: Actor
) -> tuple[Receipt | None, Observation]:
    """The receipt's row when one was found. One that can't be read could not be asked (rule 5).

    Where the answer shows several effects each is recorded, so that the second one is seen as one.
    """
    if not isinstance(seen, Found):
        return None, seen
    try:
        values = [parse_receipt(value) for value in (seen.receipt_value, *seen.also)]
    except InvalidReceipt as invalid:
        return None, CouldNotAsk(detail=str(invalid), status=seen.status, raw=seen.raw)
    recorded = [
        record_receipt(
            operation_id=operation.pk,
            value=value,
            channel=Channel.LOOKUP,
            raw=seen.raw,
            actor=actor,
        )
        for value in values
    ]
    return recorded[0].receipt, seen


def _result(seen: Observation) -> LookupResult:
    if isinstance(seen, Found):
        return LookupResult.FOUND
    return LookupResult.NOT_FOUND if isinstance(seen, NotFound) else LookupResult.COULD_NOT_ASK


def _detail(seen: Observation) -> str:
    return storable(shortened(seen.detail)) if isinstance(seen, CouldNotAsk) else ""


def _go_on(
    operation: Operation, lookup: Lookup, seen: Observation, *, actor: Actor, at: datetime
) -> None:
    """Free the slot, schedule the next look and open the question that follows, if one does."""
    profile = profile_of(operation)
    is_unasked = lookup.result == LookupResult.COULD_NOT_ASK
    since = (operation.could_not_ask_since or lookup.asked_at) if is_unasked else None
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
            changes["next_try_at"] = _next_try_at(
                operation,
                profile,
                conclusion=conclusion,
                seen=seen,
                no_later_than=quarantine_ends_at(profile, last_at),
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
        detail={
            "lookup": lookup.pk,
            "result": lookup.result,
            "asked_at": lookup.asked_at.isoformat(),
            "status": lookup.status,
            "receipt": lookup.receipt_id,
        },
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


def _next_try_at(
    operation: Operation,
    profile: Profile,
    *,
    conclusion: Conclusion,
    seen: Observation,
    no_later_than: datetime,
    at: datetime,
) -> datetime | None:
    return next_look_at(
        now=at,
        pace=conclusion.pace,
        look_count=operation.lookups.filter(generation=operation.generation).count(),
        interval_seconds=profile.lookup_interval_seconds,
        jitter=random.random(),  # noqa: S311  spreads load, guards nothing
        no_later_than=no_later_than,
        retry_after_seconds=seen.retry_after_seconds if isinstance(seen, CouldNotAsk) else None,
    )
