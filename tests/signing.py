"""Signing webhooks as a receiver does."""

from datetime import UTC, datetime

from standardwebhooks.webhooks import Webhook

SECRET = "whsec_d2ViaG9vay1zZWNyZXQtb2YtdGhlLXNhbmRib3g="


def signed(
    body: str, *, webhook_id: str = "msg_1", secret: str = SECRET, at: datetime | None = None
) -> dict[str, str]:
    """The three headers of Standard Webhooks for these bytes."""
    at = at or datetime.now(tz=UTC)
    return {
        "webhook-id": webhook_id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": Webhook(secret).sign(webhook_id, at, body),
    }
