"""Days later: rows are days old, and every message that ever passed comes once more, ten times."""

import json
import time
from typing import Any

from tests.campaigns.surroundings.echo import COPIES, a_client
from tests.campaigns.surroundings.forgeries import DISPATCH, RECONCILE, message
from tests.campaigns.surroundings.site import Site

DAYS = 3
# A busy machine takes its time.
TAKEN_WITHIN_SECONDS = 180
# What sweeps say again and again; that many may always wait.
FEW = 30
QUEUES = ("dispatch", "reconcile", "backlog", "sweep")
# Every instant that a decision could rest on; what is hashed into the trail stays as it is.
AGED = {
    "operations_operation": (
        "created_at state_since claim_taken_at claim_expires_at next_try_at could_not_ask_since"
    ),
    "operations_attempt": "marked_at send_deadline_at",
    "operations_lookup": "asked_at answered_at",
    "operations_claim": "taken_at expires_at",
    "operations_receipt": "received_at",
    "operations_review": "opened_at",
}
SETTLED = "SELECT id FROM operations_operation WHERE state NOT IN ('ready', 'awaiting_approval')"


def let_days_pass(site: Site) -> None:
    """Move the whole record back, as the superuser with the triggers off: no role of ours may."""
    with site.superuser() as connection:
        connection.execute("SET session_replication_role = replica")
        for table, columns in AGED.items():
            moved = ", ".join(
                f"{name} = {name} - interval '{DAYS} days'" for name in columns.split()
            )
            connection.execute(f"UPDATE {table} SET {moved}")


def replay(site: Site, kept: list[tuple[str, bytes]], *, most: int) -> int:
    """Deliver old messages and new hints at what is settled, ten times; returns how many."""
    with site.superuser() as connection:
        rows = connection.execute(SETTLED).fetchall()
    replayed = [(queue, _without_end(raw)) for queue, raw in kept if queue != "sweep"][-most:]
    for (operation_id,) in rows[-most:]:
        replayed.append(("dispatch", message(DISPATCH, [str(operation_id)])))
        replayed.append(("reconcile", message(RECONCILE, [str(operation_id)])))
    _taken(site)  # lookups that are days overdue all come at once
    with a_client(site.record.broker_url) as client:
        for queue, raw in replayed:
            client.lpush(queue, *[raw] * (1 + COPIES))
    _taken(site)
    return len(replayed) * (1 + COPIES)


def _taken(site: Site) -> None:
    """Return once few messages wait. Raises AssertionError when they are not taken in time."""
    until = time.monotonic() + TAKEN_WITHIN_SECONDS
    with a_client(site.record.broker_url) as client:
        while (left := sum(map(client.llen, QUEUES))) > FEW:
            assert time.monotonic() < until, f"{left} messages wait: they are not taken"
            site.pause(0.1)


def _without_end(raw: bytes) -> bytes:
    """The message without the time at which it is over, or a worker would only drop it."""
    document: dict[str, Any] = json.loads(raw)
    document["headers"]["expires"] = None
    return json.dumps(document).encode()
