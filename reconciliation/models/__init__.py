"""Tables of the reconciliation app."""

from reconciliation.models.drill import DrillEnd, DrillResult, DrillRun
from reconciliation.models.webhook import WebhookDelivery

__all__ = ["DrillEnd", "DrillResult", "DrillRun", "WebhookDelivery"]
