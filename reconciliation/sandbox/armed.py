"""The armed faults of one environment: arming, taking one by one, disarming."""

import time
from collections.abc import Collection
from dataclasses import dataclass
from sqlite3 import Connection, Row

from reconciliation.sandbox.exact_json import Json, Number
from reconciliation.sandbox.faults import DEFAULT_SECONDS, Arming, Fault
from reconciliation.sandbox.store import FOREVER

# Their seconds begin when they are armed; those of every other fault when it strikes.
TIMED_FROM_ARMING = (Fault.HIDE_LOOKUP,)


@dataclass(frozen=True, slots=True)
class Struck:
    """A fault that strikes now. `seconds` None means that none were given and none is usual."""

    fault: Fault
    seconds: float | None


def arm(tx: Connection, arming: Arming) -> Json:
    """Arm a fault for an operation, in place of one of the same name; returns its description."""
    now = time.time()
    is_timed = arming.fault in TIMED_FROM_ARMING and arming.seconds is not None
    over_at = now + (arming.seconds or 0) if is_timed else FOREVER
    tx.execute(
        "REPLACE INTO faults VALUES (?, ?, ?, ?, ?, ?)",
        (arming.operation_id, arming.fault, arming.seconds, arming.times, over_at, now),
    )
    query = "SELECT * FROM faults WHERE operation_id = ? AND fault = ?"
    return _described(tx.execute(query, (arming.operation_id, arming.fault)).fetchone())


def take(tx: Connection, operation_id: str, among: Collection[Fault]) -> Struck | None:
    """Count down the fault among these that was armed first, and return it; None if none is."""
    query = (
        "SELECT rowid, * FROM faults WHERE operation_id = ? AND over_at > ?"
        " ORDER BY armed_at, rowid"
    )
    rows = tx.execute(query, (operation_id, time.time())).fetchall()
    row = next((row for row in rows if row["fault"] in among), None)
    if row is None:
        return None
    tx.execute("UPDATE faults SET times_left = times_left - 1 WHERE rowid = ?", (row["rowid"],))
    tx.execute("DELETE FROM faults WHERE times_left <= 0")
    fault = Fault(row["fault"])
    seconds = row["seconds"] if row["seconds"] is not None else DEFAULT_SECONDS.get(fault)
    return Struck(fault, seconds)


def disarm(tx: Connection, operation_id: str) -> int:
    """Delete an operation's faults and let its pending orders be confirmed; returns how many."""
    deleted = tx.execute("DELETE FROM faults WHERE operation_id = ?", (operation_id,)).rowcount
    tx.execute("UPDATE effects SET pending_until = 0 WHERE operation_id = ?", (operation_id,))
    return deleted


def armed(tx: Connection) -> Json:
    """Every armed fault, in the order of arming."""
    query = "SELECT * FROM faults WHERE over_at > ? ORDER BY armed_at, rowid"
    return [_described(row) for row in tx.execute(query, (time.time(),))]


def _described(row: Row) -> Json:
    seconds, times = row["seconds"], row["times_left"]
    return {
        "operation_id": row["operation_id"],
        "fault": row["fault"],
        "seconds": None if seconds is None else Number(repr(seconds)),
        "times": None if times is None else Number(str(times)),
    }
