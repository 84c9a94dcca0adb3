"""Webhooks of the seeded history: really signed, really verified."""

import hashlib
from datetime import UTC, datetime
from typing import Any

from standardwebhooks.webhooks import Webhook

from operations.protocol.payloads import dumps
from operations.registry import receiver
from reconciliation.actions.take_webhook import Taken, take_webhook


def deliver(receiver_name: str, environment: str, value: dict[str, Any]) -> Taken:
    """Deliver one receipt, signed by now's clock; the same one again changes nothing."""
    secret = receiver(receiver_name, environment).webhook_secret
    raw = dumps({"type": "receipt", "data": value})
    message_id = "msg_" + hashlib.sha256(raw.encode()).hexdigest()[:24]
    now = datetime.now(tz=UTC)
    headers = {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Webhook(secret).sign(message_id, now, raw),
    }
    return take_webhook(
        environment=environment, receiver=receiver_name, headers=headers, raw=raw.encode()
    )
