"""Tables of the reconciliation app."""

from reconciliation.models.certification import Certification
from reconciliation.models.drill import DrillEnd, DrillResult, DrillRun
from reconciliation.models.lookup_gate import LookupGate
from reconciliation.models.statement import Statement, StatementChunk
from reconciliation.models.statement_proposal import StatementProposal
from reconciliation.models.statement_run import AppliedRow, StatementRow, StatementRun
from reconciliation.models.webhook import WebhookDelivery

__all__ = [
    "AppliedRow",
    "Certification",
    "DrillEnd",
    "DrillResult",
    "DrillRun",
    "LookupGate",
    "Statement",
    "StatementChunk",
    "StatementProposal",
    "StatementRow",
    "StatementRun",
    "WebhookDelivery",
]
