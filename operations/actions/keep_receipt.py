"""Writing a receipt down as evidence, whatever it is worth."""

from datetime import datetime
from typing import Any

from operations import rows
from operations.actors import Actor
from operations.models import Operation, Receipt
from operations.protocol.payloads import MISSING, Difference, digest, dumps
from operations.protocol.receipts import Judgement
from operations.protocol.receipts import Receipt as ReceiptValue
from operations.protocol.settlement import Consequence
from operations.protocol.states import Channel, Verdict
from operations.protocol.words import storable


def keep_receipt(
    operation: Operation,
    value: ReceiptValue,
    *,
    channel: Channel,
    raw: bytes,
    actor: Actor,
    at: datetime,
    judgement: Judgement,
    follows: Consequence,
    token: int | None = None,
    is_stale: bool = False,
) -> Receipt:
    """The receipt's row. A lookup that finds the very same record again adds none."""
    row = receipt_row(
        operation,
        value,
        channel=channel,
        raw=raw,
        actor=actor,
        at=at,
        judgement=judgement,
        follows=follows,
        token=token,
        is_stale=is_stale,
    )
    same = _same_again(operation, row) if channel == Channel.LOOKUP else None
    if same:
        return same
    return rows.insert(row)


def receipt_row(
    operation: Operation,
    value: ReceiptValue,
    *,
    channel: Channel,
    raw: bytes,
    actor: Actor,
    at: datetime,
    judgement: Judgement,
    follows: Consequence,
    token: int | None = None,
    is_stale: bool = False,
) -> Receipt:
    """The row that a receipt makes, not written yet."""
    return Receipt(
        operation=operation,
        environment=operation.environment,
        receiver=operation.receiver,
        channel=str(channel),
        raw=raw,
        received_at=at,
        verdict=str(follows.verdict),
        differences=[_storable(each) for each in judgement.differences],
        not_compared=[storable(pointer) for pointer in judgement.not_compared],
        token=token,
        generation=operation.generation,
        is_stale=is_stale,
        needs_explanation=follows.needs_explanation,
        reported_by_agent_id=actor.agent_id,
        entered_by_id=actor.person_id if channel == Channel.PERSON else None,
        **_said(value),
    )


def keep_unmatched_receipt(
    value: ReceiptValue,
    *,
    environment: str,
    receiver: str,
    channel: Channel,
    raw: bytes,
    at: datetime,
) -> Receipt:
    """A receipt whose key no operation has; visible to people until one has (rule 4)."""
    receipt = unmatched_receipt(
        value, environment=environment, receiver=receiver, channel=channel, raw=raw, at=at
    )
    receipt.save(force_insert=True)
    return receipt


def unmatched_receipt(
    value: ReceiptValue,
    *,
    environment: str,
    receiver: str,
    channel: Channel,
    raw: bytes,
    at: datetime,
    entered_by_id: int | None = None,
) -> Receipt:
    """The same, for its caller to write down."""
    return Receipt(
        operation=None,
        environment=environment,
        receiver=receiver,
        channel=str(channel),
        raw=raw,
        received_at=at,
        verdict=Verdict.KEPT,
        needs_explanation=True,
        entered_by_id=entered_by_id,
        **_said(value),
    )


def _storable(difference: Difference) -> dict[str, str]:
    """A pointer repeats the receiver's own names, which may hold what no column does."""
    return {name: storable(text) for name, text in difference._asdict().items()}


def _said(value: ReceiptValue) -> dict[str, Any]:
    has_payload = value.payload is not MISSING
    return {
        "operation_key": value.operation_key,
        "status": str(value.status),
        "effect_id": value.effect_id or "",
        "payload_text": dumps(value.payload) if has_payload else "",
        "payload_digest": digest(value.payload) if has_payload else "",
        "occurred_at": value.occurred_at,
    }


def _same_again(operation: Operation, row: Receipt) -> Receipt | None:
    return (
        operation.receipts.filter(
            channel=row.channel,
            status=row.status,
            effect_id=row.effect_id,
            payload_digest=row.payload_digest,
            verdict=row.verdict,
            generation=row.generation,
        )
        .order_by("id")
        .first()
    )
