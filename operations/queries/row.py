"""One operation as a list shows it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from operations.models import Operation
from operations.protocol.queues import QueueFacts, queue
from operations.protocol.states import Cause, Question, Queue, State


@dataclass(frozen=True, slots=True)
class AsRead:
    """An operation that reads as `state` and `cause`; everything else is the row's own.

    An overdue request for approval reads so before any sweep wrote it (section 6).
    """

    row: Operation
    state: State
    cause: str

    def __getattr__(self, name: str) -> Any:
        return getattr(self.row, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row: the operation as it reads, what is counted for it, and its queue."""

    operation: AsRead
    request_count: int
    effect_count: int
    queue: Queue

    @property
    def has_more_effects(self) -> bool:
        """More than the one effect that an operation may have."""
        return self.effect_count > 1


def row_of(operation: Operation, *, now: datetime) -> Row:
    """The row of an operation that `operation_search.with_row_columns` annotated."""
    counted: Any = operation
    was_sent = counted.request_count > 0
    shown = _as_read(operation, is_overdue=counted.is_overdue, was_sent=was_sent)
    holds = not operation.claim_given_back
    facts = QueueFacts(
        state=shown.state,
        open_questions=frozenset(Question(word) for word in counted.questions),
        machine_claim_expires_at=operation.claim_expires_at if holds else None,
        next_try_at=operation.next_try_at,
    )
    return Row(
        operation=shown,
        request_count=counted.request_count,
        effect_count=counted.effect_count,
        queue=queue(facts, now),
    )


def _as_read(operation: Operation, *, is_overdue: bool, was_sent: bool) -> AsRead:
    if not is_overdue:
        return AsRead(operation, State(operation.state), operation.cause)
    if was_sent:
        return AsRead(operation, State.SENT_UNKNOWN, "")
    return AsRead(operation, State.CANCELLED, str(Cause.EXPIRED))
