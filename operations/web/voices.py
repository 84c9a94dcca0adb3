"""Who speaks in a receipt, as the grade that its channel can give."""

from operations.models import Receipt
from operations.protocol.states import Channel, Grade


def voice_of(receipt: Receipt) -> Grade:
    """A person's, a worker's, or the receiver's own word."""
    if receipt.channel == Channel.PERSON:
        return Grade.ATTESTED
    if receipt.channel == Channel.RESPONSE and receipt.reported_by_agent_id is not None:
        return Grade.RECEIPT_REPORTED
    return Grade.RECEIPT
