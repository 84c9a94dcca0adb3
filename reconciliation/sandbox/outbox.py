"""Webhooks that are still to be sent: rows, written in the transaction of what they tell."""

import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from sqlite3 import Connection, Row

from reconciliation.sandbox import exact_json
from reconciliation.sandbox.armed import Struck, take
from reconciliation.sandbox.effects import instant, receipt_of
from reconciliation.sandbox.exact_json import Json
from reconciliation.sandbox.faults import WEBHOOKS, Fault
from reconciliation.sandbox.store import Store

# A delivery under way belongs to its sender for this long; then it is due again.
DELIVERY_SECONDS = 15.0
MAX_TRIES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One webhook to send: what it says, to which environment's address, how much later."""

    environment: str
    receipt: dict[str, Json]
    after_seconds: float = 0.0
    happened_before_seconds: float = 0.0
    written_at: float = field(default_factory=time.time)
    message_id: str = field(default_factory=lambda: f"msg_{uuid.uuid4().hex}")
    is_early: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Early:
    """Webhooks (row ids) to deliver before an answer, and how long before it."""

    row_ids: tuple[int, ...] = ()
    seconds: float = 0.0


def other_environment(environment: str) -> str:
    """The environment that a mixed-up webhook speaks of: staging, and production for staging."""
    return "production" if environment == "staging" else "staging"


def enqueue(tx: Connection, effect: Row, environment: str, *, tells_anyway: bool) -> Early:
    """Write the webhooks that an armed fault asks for, else a plain one if it is told anyway.

    Returns those to be delivered before the answer.
    """
    struck = take(tx, effect["operation_id"], WEBHOOKS)
    if struck is None and not tells_anyway:
        return Early()
    messages = list(_messages(effect, environment, struck))
    row_ids = [_write(tx, message) for message in messages]
    if struck is None or not messages[0].is_early:
        return Early()
    return Early(row_ids=tuple(row_ids), seconds=struck.seconds or 0.0)


def claim_due(store: Store) -> list[Row]:
    """Take the webhooks that are due; each is its taker's to send for DELIVERY_SECONDS."""
    now = time.time()
    with store.transaction() as tx:
        return tx.execute(
            "UPDATE webhooks SET tries = tries + 1, due_at = ?"
            " WHERE ended_at IS NULL AND due_at <= ? RETURNING *",
            (now + DELIVERY_SECONDS, now),
        ).fetchall()


def row_of(store: Store, row_id: int) -> Row:
    """One webhook."""
    with store.transaction() as tx:
        row: Row = tx.execute("SELECT * FROM webhooks WHERE id = ?", (row_id,)).fetchone()
        return row


def settle(store: Store, row: Row, *, is_delivered: bool) -> None:
    """End a webhook that was delivered or tried often enough; else it waits, longer each time."""
    now = time.time()
    is_over = is_delivered or row["tries"] >= MAX_TRIES
    with store.transaction() as tx:
        tx.execute(
            "UPDATE webhooks SET ended_at = ?, due_at = ? WHERE id = ?",
            (now if is_over else None, now + 2.0 ** row["tries"], row["id"]),
        )


def _messages(effect: Row, environment: str, struck: Struck | None) -> Iterator[Message]:
    receipt = receipt_of(effect, environment)
    seconds = struck.seconds or 0.0 if struck else 0.0
    match struck.fault if struck else None:
        case None:
            yield Message(environment=environment, receipt=receipt)
        case Fault.WEBHOOK_EARLY:
            yield Message(environment=environment, receipt=receipt, is_early=True)
        case Fault.WEBHOOK_LATE:
            yield Message(environment=environment, receipt=receipt, after_seconds=seconds)
        case Fault.WEBHOOK_TWICE:
            first = Message(environment=environment, receipt=receipt)
            yield first
            yield first
        case Fault.WEBHOOK_REORDERED:
            yield Message(environment=environment, receipt=receipt)
            earlier = {**receipt, "status": "pending", "confirmed": False}
            yield Message(
                environment=environment,
                receipt=earlier,
                after_seconds=seconds,
                happened_before_seconds=1.0,
            )
        case Fault.WEBHOOK_WRONG_ENVIRONMENT:
            other = other_environment(environment)
            yield Message(environment=environment, receipt={**receipt, "environment": other})
            yield Message(environment=other, receipt=receipt)
        case fault:
            raise ValueError(f"expected a webhook fault, got {fault}")


def _write(tx: Connection, message: Message) -> int:
    now = time.time()
    body: Json = {
        "type": "receipt",
        "timestamp": instant(message.written_at - message.happened_before_seconds),
        "data": message.receipt,
    }
    # An early one is its handler's to send; the background takes it only if the handler cannot.
    due_at = now + (DELIVERY_SECONDS if message.is_early else message.after_seconds)
    tries = 1 if message.is_early else 0
    row = tx.execute(
        "INSERT INTO webhooks (message_id, environment, body, due_at, tries)"
        " VALUES (?, ?, ?, ?, ?) RETURNING id",
        (message.message_id, message.environment, exact_json.write(body), due_at, tries),
    ).fetchone()
    return int(row["id"])
