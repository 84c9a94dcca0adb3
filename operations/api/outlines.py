"""What answers look like, for the OpenAPI document. Answers may gain members within v1."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from operations.api.values import one_of
from operations.protocol.states import (
    ApprovalStatus,
    Cause,
    Channel,
    Executor,
    Grade,
    NextActionCode,
    Purpose,
    Question,
    ReceiptStatus,
    State,
    Verdict,
)

StateWord = Annotated[str, one_of(State)]
VerdictWord = Annotated[str, one_of(Verdict)]


class Outline(BaseModel):
    """An object that may have more members than are listed."""

    model_config = ConfigDict(extra="allow", arbitrary_types_allowed=True)


class ApprovalOutline(Outline):
    """The newest request for people's yes to this operation."""

    id: int
    status: Annotated[str, one_of(ApprovalStatus)]
    needed: int
    given: int
    asked_count: int
    expires_at: datetime


class ClaimHolder(Outline):
    """Who holds the machine slot now."""

    holder: str
    purpose: Annotated[str, one_of(Purpose)]
    expires_at: datetime


class NextActionOutline(Outline):
    """What to do next. It never says "send again"."""

    code: Annotated[str, one_of(NextActionCode)]
    sentence: str
    remedy: str
    opens_at: datetime | None


class OperationOutline(Outline):
    """One operation as it reads now. `executed` null: nobody knows."""

    id: UUID
    key: str
    environment: str
    kind: str
    receiver: str
    executor: Annotated[str, one_of(Executor)]
    reference: str
    state: StateWord
    cause: Annotated[str, one_of(Cause)] | None
    grade: Annotated[str, one_of(Grade)] | None
    executed: bool | None
    version: int
    generation: int
    payload_digest: str
    approval: ApprovalOutline | None
    claim: ClaimHolder | None
    open_reviews: list[Annotated[str, one_of(Question)]]
    links: dict[str, Any]
    next_action: NextActionOutline
    created_at: datetime
    updated_at: datetime


class AttemptOutline(Outline):
    """One dispatch on record."""

    generation: int
    marked_at: datetime
    send_deadline_at: datetime
    send_within_seconds: int
    end: dict[str, Any] | None


class ReceiptOutline(Outline):
    """Evidence from a receiver. `operation_id` is the operation's key."""

    operation_id: str
    status: Annotated[str, one_of(ReceiptStatus)]
    effect_id: str | None
    channel: Annotated[str, one_of(Channel)]
    verdict: VerdictWord
    received_at: datetime
    payload: Any = None


class OperationDetail(OperationOutline):
    """One operation with its payload and evidence."""

    payload: Any
    idempotency_key: str
    attempts: list[AttemptOutline]
    receipts: list[ReceiptOutline]


class OperationPage(Outline):
    """One page by (created_at, id); `next_cursor` null ends the list."""

    items: list[OperationOutline]
    next_cursor: str | None


class ClaimOutline(Outline):
    """A claim with its fencing token."""

    token: int
    expires_at: datetime
    operation: OperationOutline


class MarkOutline(Outline):
    """All that the sender needs. Seconds count from before the request for the mark."""

    generation: int
    idempotency_key: str
    payload: Any
    payload_digest: str
    send_within_seconds: int


class SettlementOutline(Outline):
    """The state after a report."""

    state: StateWord
    operation: OperationOutline


class ReportOutline(SettlementOutline):
    """The state after a report, and what the report was worth."""

    verdict: VerdictWord


class Handoff(Outline):
    """All that somebody needs who takes over without other memory."""

    goal: str
    state: StateWord
    evidence: dict[str, Any]
    known_failures: list[dict[str, Any]]
    next_action: NextActionOutline
    operation: OperationOutline


class ProblemOutline(Outline):
    """RFC 9457, with a code, a remedy and, for its owner, the current operation."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    remedy: str
    instance: str
    request_id: str
    operation: OperationOutline | None = None


OPERATION, DETAIL, PAGE = OperationOutline, OperationDetail, OperationPage
CLAIM, ATTEMPT, REPORT, SETTLEMENT = ClaimOutline, MarkOutline, ReportOutline, SettlementOutline
PROBLEMS: dict[int, type[Outline]] = dict.fromkeys(
    (400, 401, 403, 404, 409, 413, 422, 429, 503), ProblemOutline
)
