"""Receipts that came before their operation was registered (rule 4)."""

from datetime import datetime

from django.db import connection

from operations.actions.open_review import open_review
from operations.actors import Actor
from operations.models import Operation, Receipt
from operations.protocol.states import Question


def hold_key(*, environment: str, key: str) -> None:
    """Until the transaction ends, nobody else both looks for this key and adds what it missed.

    Registering looks for receipts, an unmatched receipt looks for its operation: without the lock
    each could miss the other.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, 31))", [f"{environment}\n{key}"]
        )


def take_in_unmatched_receipts(operation: Operation, *, actor: Actor, at: datetime) -> int:
    """Tie the unmatched receipts that name this key to it; returns how many there were.

    None of them confirms by itself: nothing was sent yet, so a person has to say what they are.
    """
    hold_key(environment=operation.environment, key=operation.key)
    kept = Receipt.objects.filter(
        operation=None,
        environment=operation.environment,
        receiver=operation.receiver,
        operation_key=operation.key,
    )
    if not kept.exists():
        return 0
    receipts = list(kept.order_by("id"))
    kept.update(operation=operation)
    open_review(
        operation,
        Question.RECEIPT_MISMATCH,
        reason=f"{len(receipts)} receipt(s) named this key before it was registered.",
        actor=actor,
        at=at,
        receipt=receipts[0],
    )
    return len(receipts)
