"""Taking an order: count it, let armed faults strike, make its effect, choose the reply."""

import time
from dataclasses import dataclass, replace
from sqlite3 import Connection
from typing import Self

from reconciliation.sandbox import exact_json
from reconciliation.sandbox.armed import Struck, take
from reconciliation.sandbox.effects import NoEffect, Order, commit, receipt_of, refuse
from reconciliation.sandbox.faults import INSTEAD_OF_AN_ORDER, INSTEAD_OF_THE_ANSWER, Fault
from reconciliation.sandbox.outbox import enqueue
from reconciliation.sandbox.replies import Ending, Reply, json_reply, problem_reply, spoil
from reconciliation.sandbox.store import Store

MOVED = "/moved/orders"


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """The reply to an order, and the webhooks (row ids) that must go out before it."""

    reply: Reply
    early_webhooks: tuple[int, ...] = ()

    def spoiled_by(self, struck: Struck, *, request_number: int) -> Self:
        """The same with what a fault of the answer makes of the reply."""
        reply = spoil(self.reply, struck, request_number=request_number)
        delay = self.reply.delay_seconds + reply.delay_seconds
        return replace(self, reply=replace(reply, delay_seconds=delay))


def count_request(store: Store, operation_id: str, idempotency_key: str | None) -> int:
    """Count one POST, on disk before anything else is done with it; returns its number."""
    with store.transaction() as tx:
        tx.execute(
            "INSERT INTO requests (operation_id, idempotency_key, received_at) VALUES (?, ?, ?)",
            (operation_id, idempotency_key, time.time()),
        )
        query = "SELECT count(*) FROM requests WHERE operation_id = ?"
        return int(tx.execute(query, (operation_id,)).fetchone()[0])


def take_order(store: Store, order: Order, *, request_number: int, sends_webhooks: bool) -> Taken:
    """Carry out a counted order. Its effect is on disk when this returns, if it makes one now."""
    with store.transaction() as tx:
        instead = take(tx, order.operation_id, INSTEAD_OF_AN_ORDER)
        if instead and (reply := _instead_of_order(tx, order, instead)):
            return Taken(reply=reply)
        taken = _commit(tx, store, order, sends_webhooks=sends_webhooks)
        if spoiler := take(tx, order.operation_id, INSTEAD_OF_THE_ANSWER):
            return taken.spoiled_by(spoiler, request_number=request_number)
        return taken


def make_late_commits(store: Store, *, sends_webhooks: bool) -> None:
    """Make the effects of `commit_late` that are due now."""
    with store.transaction() as tx:
        query = "DELETE FROM late_commits WHERE due_at <= ? RETURNING *"
        for row in tx.execute(query, (time.time(),)).fetchall():
            order = Order(
                operation_id=row["operation_id"],
                idempotency_key=row["idempotency_key"],
                payload=exact_json.read(row["payload"].encode()),
            )
            _commit(tx, store, order, sends_webhooks=sends_webhooks)


def _commit(tx: Connection, store: Store, order: Order, *, sends_webhooks: bool) -> Taken:
    made = commit(tx, order)
    if made is NoEffect.KEY_REUSED:
        detail = "This Idempotency-Key was used for another operation_id or payload."
        return Taken(reply=problem_reply(422, "idempotency_key_reused", detail))
    if made is NoEffect.REFUSED:
        detail = "The order is refused; nothing was done."
        return Taken(reply=problem_reply(422, "order_refused", detail))
    tells_anyway = sends_webhooks and made.is_new
    early = enqueue(tx, made.row, store.environment, tells_anyway=tells_anyway)
    receipt = json_reply(200, receipt_of(made.row, store.environment))
    reply = replace(receipt, delay_seconds=early.seconds)
    return Taken(reply=reply, early_webhooks=early.row_ids)


def _instead_of_order(tx: Connection, order: Order, struck: Struck) -> Reply | None:
    delay = struck.seconds or 0.0
    match struck.fault:
        case Fault.HANG:
            return Reply(delay_seconds=delay, ending=Ending.SILENCE)
        case Fault.COMMIT_LATE:
            _commit_later(tx, order, due_at=time.time() + delay)
            return Reply(ending=Ending.SILENCE)
        case Fault.REDIRECT:
            return Reply(status=307, headers={"Location": MOVED}, delay_seconds=delay)
        case Fault.REFUSE:
            refuse(tx, order)
            return None  # the key's record answers: the refusal, or the effect it already made
        case other:
            raise ValueError(f"expected a fault instead of an order, got {other}")


def _commit_later(tx: Connection, order: Order, *, due_at: float) -> None:
    tx.execute(
        "INSERT INTO late_commits (operation_id, idempotency_key, payload, due_at)"
        " VALUES (?, ?, ?, ?)",
        (order.operation_id, order.idempotency_key, exact_json.write(order.payload), due_at),
    )
