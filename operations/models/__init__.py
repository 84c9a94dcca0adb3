"""Tables, constraints and triggers; no decisions."""

from operations.models.agent import Agent, ApiToken
from operations.models.approval import Approval, ApprovalDecision
from operations.models.attempt import Attempt, AttemptEnd, SenderGone
from operations.models.audit import AuditEntry, AuditWords
from operations.models.claim import Claim
from operations.models.decision import DecisionToken
from operations.models.halt import Halt
from operations.models.operation import Operation
from operations.models.receipt import Explanation, Lookup, Receipt
from operations.models.review import Note, Review

__all__ = [
    "Agent",
    "ApiToken",
    "Approval",
    "ApprovalDecision",
    "Attempt",
    "AttemptEnd",
    "AuditEntry",
    "AuditWords",
    "Claim",
    "DecisionToken",
    "Explanation",
    "Halt",
    "Lookup",
    "Note",
    "Operation",
    "Receipt",
    "Review",
    "SenderGone",
]
