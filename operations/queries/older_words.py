"""Events in the order of their own time: whether one was said before what it would undo."""

from django.db.models import Max, Q
from django.db.models.functions import Least

from operations.models import Operation, Receipt
from operations.protocol.receipts import Receipt as ReceiptValue
from operations.protocol.states import ReceiptStatus, State


def is_older_word(operation: Operation, value: ReceiptValue) -> bool:
    """Whether the receiver itself said later, of this operation, what this event would undo.

    Only events are asked this: their time is when they were said, where a record that was looked
    up may bear the time of its making. An agent's or a person's dating of a word counts for
    nothing, and no word was said after it was received. A confirmation undoes nothing.
    """
    if value.occurred_at is None or value.status == ReceiptStatus.CONFIRMED:
        return False
    said = Receipt.objects.filter(
        _against(operation), operation=operation, reported_by_agent=None, entered_by=None
    ).exclude(occurred_at=None)
    latest = said.aggregate(at=Max(Least("occurred_at", "received_at")))["at"]
    return latest is not None and value.occurred_at < latest


def _against(operation: Operation) -> Q:
    if operation.state == State.CONFIRMED:
        return Q(status=ReceiptStatus.CONFIRMED, effect_id=operation.effect_id)
    if operation.state == State.REFUSED:
        return Q(status=ReceiptStatus.REFUSED)
    return ~Q(status=ReceiptStatus.REFUSED)
