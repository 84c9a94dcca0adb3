"""Tables of the reconciliation app."""

from reconciliation.models.webhook import WebhookDelivery

__all__ = ["WebhookDelivery"]
