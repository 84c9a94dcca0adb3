"""Tables of the reconciliation app."""

from reconciliation.models.certification import Certification
from reconciliation.models.drill import DrillEnd, DrillResult, DrillRun
from reconciliation.models.lookup_gate import HeldLookup, LookupGate
from reconciliation.models.webhook import WebhookDelivery

__all__ = [
    "Certification",
    "DrillEnd",
    "DrillResult",
    "DrillRun",
    "HeldLookup",
    "LookupGate",
    "WebhookDelivery",
]
