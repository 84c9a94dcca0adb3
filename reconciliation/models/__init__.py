"""Tables of the reconciliation app."""

from reconciliation.models.drill import DrillResult, DrillRun
from reconciliation.models.webhook import WebhookDelivery

__all__ = ["DrillResult", "DrillRun", "WebhookDelivery"]
