"""Making an effect under its key, once, and the receipt of it."""

import re
import time
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, auto
from sqlite3 import Connection, Row

from reconciliation.sandbox import exact_json
from reconciliation.sandbox.armed import take
from reconciliation.sandbox.exact_json import Json, Number
from reconciliation.sandbox.faults import Fault
from reconciliation.sandbox.store import FOREVER


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a sender asks for."""

    operation_id: str
    idempotency_key: str
    payload: Json


@dataclass(frozen=True, slots=True)
class Made:
    """The row of an order's effect, and whether this order made it."""

    row: Row
    is_new: bool


class NoEffect(Enum):
    """Why an order made none and has no receipt."""

    KEY_REUSED = auto()
    REFUSED = auto()


def commit(tx: Connection, order: Order) -> Made | NoEffect:
    """Make the order's effect, or find the one that its key already made."""
    known = _known_key(tx, order)
    if known is None:
        return Made(_new_effect(tx, order), is_new=True)
    same_payload = exact_json.read(known["payload"].encode()) == order.payload
    if known["operation_id"] != order.operation_id or not same_payload:
        return NoEffect.KEY_REUSED
    if known["effect_row"] is None:
        return NoEffect.REFUSED
    row = tx.execute("SELECT * FROM effects WHERE id = ?", (known["effect_row"],)).fetchone()
    return Made(row, is_new=False)


def refuse(tx: Connection, order: Order) -> None:
    """Bind a refusal to the order's key; a key that already made an effect keeps it."""
    if _live_key(tx, order.idempotency_key) is None:
        _remember_key(tx, order, effect_row=None, forgotten_at=FOREVER)


def receipt_of(row: Row, environment: str, *, at: float | None = None) -> dict[str, Json]:
    """The receipt of an effect as it reads at an instant (Unix time), by default now."""
    is_pending = (time.time() if at is None else at) < row["pending_until"]
    return {
        "operation_id": row["operation_id"],
        "payload": exact_json.read(row["payload"].encode()),
        "status": "pending" if is_pending else "confirmed",
        "confirmed": not is_pending,
        "effect_id": row["effect_id"],
        "environment": environment,
        "occurred_at": row["occurred_at"],
    }


def instant(seconds: float) -> str:
    """A Unix time as RFC 3339 text in UTC, to the millisecond."""
    text = datetime.fromtimestamp(seconds, tz=UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def _known_key(tx: Connection, order: Order) -> Row | None:
    known = _live_key(tx, order.idempotency_key)
    if known is None or take(tx, order.operation_id, [Fault.IGNORE_KEY]):
        return None
    if forget := take(tx, order.operation_id, [Fault.FORGET_KEY]):
        _forget_at(tx, order, time.time() + (forget.seconds or 0))
        return _live_key(tx, order.idempotency_key)
    return known


def _live_key(tx: Connection, key: str) -> Row | None:
    query = "SELECT * FROM keys WHERE idempotency_key = ? AND forgotten_at > ?"
    row: Row | None = tx.execute(query, (key, time.time())).fetchone()
    return row


def _new_effect(tx: Connection, order: Order) -> Row:
    now = time.time()
    pending = take(tx, order.operation_id, [Fault.PENDING])
    changed = take(tx, order.operation_id, [Fault.CHANGE_PAYLOAD])
    forget = take(tx, order.operation_id, [Fault.FORGET_KEY])
    pending_until = 0.0
    if pending:
        pending_until = FOREVER if pending.seconds is None else now + pending.seconds
    payload = _changed(order.payload) if changed else order.payload
    row: Row = tx.execute(
        "INSERT INTO effects (effect_id, operation_id, payload, occurred_at, pending_until)"
        " VALUES (?, ?, ?, ?, ?) RETURNING *",
        (
            f"eff_{uuid.uuid4().hex}",
            order.operation_id,
            exact_json.write(payload),
            instant(now),
            pending_until,
        ),
    ).fetchone()
    forgotten_at = now + (forget.seconds or 0) if forget else FOREVER
    _remember_key(tx, order, effect_row=row["id"], forgotten_at=forgotten_at)
    return row


def _remember_key(
    tx: Connection, order: Order, *, effect_row: int | None, forgotten_at: float
) -> None:
    payload = exact_json.write(order.payload)
    tx.execute(
        "REPLACE INTO keys VALUES (?, ?, ?, ?, ?)",
        (order.idempotency_key, order.operation_id, payload, effect_row, forgotten_at),
    )


def _forget_at(tx: Connection, order: Order, at: float) -> None:
    query = "UPDATE keys SET forgotten_at = ? WHERE idempotency_key = ?"
    tx.execute(query, (at, order.idempotency_key))


def _changed(payload: Json) -> Json:
    """Another payload: the first number with another first digit, else the first text changed."""
    if not isinstance(payload, dict):
        return {"changed_from": payload}
    for name, value in payload.items():
        if isinstance(value, Number):
            text = re.sub(r"\d", _another_digit, value.text, count=1)
            return {**payload, name: Number(text)}
    for name, value in payload.items():
        if isinstance(value, str):
            return {**payload, name: value + " (changed)"}
    return {**payload, "changed": True}


def _another_digit(digit: re.Match[str]) -> str:
    return "8" if digit[0] == "9" else "9"
