"""One lookup beside the operation as it is now, as the verdicts judge it."""

from datetime import datetime

from operations.models import Operation
from operations.protocol.states import Grade, LookupResult, Question, State
from reconciliation.protocol.verdicts import Looked

LOOKED_UP_STATES = (State.SENT_UNKNOWN, State.CONFIRMED)


def looked_at(
    operation: Operation,
    *,
    result: LookupResult,
    asked_at: datetime,
    last_call_at: datetime,
    since: datetime | None,
    detail: str,
) -> Looked:
    """What `conclude` needs; `since` is when the unbroken run of could_not_ask began."""
    asked = operation.reviews.filter(closed_at=None).values_list("question", flat=True)
    return Looked(
        state=State(operation.state),
        grade=Grade(operation.grade) if operation.grade else None,
        state_since=operation.state_since,
        last_call_at=last_call_at,
        result=result,
        asked_at=asked_at,
        could_not_ask_since=since,
        open_questions=frozenset(Question(question) for question in asked),
        detail=detail,
    )
