"""What one lookup leaves behind: its row, its entry, and when the next one is due."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from operations.models import Lookup, Operation, Receipt
from operations.protocol.profiles import Profile, quarantine_ends_at
from operations.protocol.receipts import InvalidReceipt, parse_receipt
from operations.protocol.receipts import Receipt as ReceiptValue
from operations.protocol.states import LookupResult
from operations.protocol.words import shortened, storable
from operations.receivers.base import CouldNotAsk, Found, NotFound, Observation
from reconciliation.protocol.schedule import next_look_at
from reconciliation.protocol.verdicts import Conclusion


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One question: `asked_at` is the database's clock before it left, `token` its claim."""

    operation_id: UUID
    generation: int
    token: int
    asked_at: datetime


def receipts_in(seen: Observation) -> tuple[Sequence[ReceiptValue], Observation]:
    """What was found, and what was seen: a record that can't be read could not be asked (rule 5).

    Where the answer shows several effects each is one, so that the second is seen as one.
    """
    if not isinstance(seen, Found):
        return (), seen
    try:
        return [parse_receipt(value) for value in (seen.receipt_value, *seen.also)], seen
    except InvalidReceipt as invalid:
        return (), CouldNotAsk(detail=str(invalid), status=seen.status, raw=seen.raw)


def lookup_row(
    operation: Operation, asked: Asked, seen: Observation, *, receipt: Receipt | None, at: datetime
) -> Lookup:
    """The lookup's row, not written yet."""
    return Lookup(
        operation=operation,
        generation=asked.generation,
        asked_at=asked.asked_at,
        answered_at=at,
        result=str(result_of(seen)),
        detail=storable(shortened(seen.detail)) if isinstance(seen, CouldNotAsk) else "",
        status=seen.status,
        raw=seen.raw,
        receipt=receipt,
        token=asked.token,
    )


def result_of(seen: Observation) -> LookupResult:
    """Found, not_found and could_not_ask are three answers (rule 5)."""
    if isinstance(seen, Found):
        return LookupResult.FOUND
    return LookupResult.NOT_FOUND if isinstance(seen, NotFound) else LookupResult.COULD_NOT_ASK


def unasked_since(operation: Operation, lookup: Lookup) -> datetime | None:
    """When the unbroken run of could_not_ask began that this lookup goes on, or None."""
    if lookup.result != LookupResult.COULD_NOT_ASK:
        return None
    return operation.could_not_ask_since or lookup.asked_at


def detail_of(lookup: Lookup) -> dict[str, Any]:
    """What an entry of the trail says of a lookup."""
    return {
        "lookup": lookup.pk,
        "result": lookup.result,
        "asked_at": lookup.asked_at.isoformat(),
        "status": lookup.status,
        "receipt": lookup.receipt_id,
    }


def next_try_at(
    profile: Profile,
    *,
    conclusion: Conclusion,
    seen: Observation,
    look_count: int,
    last_call_at: datetime,
    at: datetime,
) -> datetime | None:
    """When to look again; `look_count` is of the generation, this lookup included."""
    return next_look_at(
        now=at,
        pace=conclusion.pace,
        look_count=look_count,
        interval_seconds=profile.lookup_interval_seconds,
        jitter=random.random(),  # noqa: S311  spreads load, guards nothing
        no_later_than=quarantine_ends_at(profile, last_call_at),
        retry_after_seconds=seen.retry_after_seconds if isinstance(seen, CouldNotAsk) else None,
    )
