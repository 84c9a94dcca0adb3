"""What the receiver shows of its orders: one, a page of them, and the ledger that hides nothing."""

import time

from reconciliation.sandbox.armed import take
from reconciliation.sandbox.effects import receipt_of
from reconciliation.sandbox.exact_json import Json, Number
from reconciliation.sandbox.faults import Fault
from reconciliation.sandbox.store import Store

PAGE_SIZE = 100
SHOWN = (
    "FROM effects WHERE operation_id NOT IN"
    " (SELECT operation_id FROM faults WHERE fault = ? AND over_at > ?)"
)


def find_order(store: Store, operation_id: str) -> dict[str, Json] | None:
    """The receipt of the operation's latest effect; None when there is none or it is hidden."""
    query = "SELECT * FROM effects WHERE operation_id = ? ORDER BY id DESC LIMIT 1"
    with store.transaction() as tx:
        row = tx.execute(query, (operation_id,)).fetchone()
        if row is None or take(tx, operation_id, [Fault.HIDE_LOOKUP]):
            return None
        return receipt_of(row, store.environment)


def list_orders(store: Store, page: int) -> Json:
    """One page of receipts, oldest first: `{orders, page, page_size, total, total_pages}`."""
    now = time.time()
    with store.transaction() as tx:
        total = tx.execute(f"SELECT count(*) {SHOWN}", (Fault.HIDE_LOOKUP, now)).fetchone()[0]
        rows = tx.execute(
            f"SELECT * {SHOWN} ORDER BY id LIMIT ? OFFSET ?",
            (Fault.HIDE_LOOKUP, now, PAGE_SIZE, (page - 1) * PAGE_SIZE),
        ).fetchall()
    orders: list[Json] = [receipt_of(row, store.environment, at=now) for row in rows]
    return {
        "orders": orders,
        "page": Number(str(page)),
        "page_size": Number(str(PAGE_SIZE)),
        "total": Number(str(total)),
        "total_pages": Number(str(-(-total // PAGE_SIZE))),
    }


def read_ledger(store: Store, operation_id: str) -> Json:
    """`{"requests": n, "effects": [effect_id]}`: what truly happened, whatever lookups show."""
    with store.transaction() as tx:
        query = "SELECT count(*) FROM requests WHERE operation_id = ?"
        requests = tx.execute(query, (operation_id,)).fetchone()[0]
        query = "SELECT effect_id FROM effects WHERE operation_id = ? ORDER BY id"
        effects: list[Json] = [row["effect_id"] for row in tx.execute(query, (operation_id,))]
    return {"requests": Number(str(requests)), "effects": effects}
