"""The head of the page: who asked, who has the case, which queue."""

from dataclasses import dataclass
from datetime import datetime

from operations.models import Operation
from operations.protocol.claims import is_live
from operations.protocol.states import Queue
from operations.queries.head import Head


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """The two slots of an operation: a person's, and a machine's."""

    queue: Queue
    asked_by: str
    holder: str
    holder_until: datetime | None
    is_held: bool
    machine_holder: str
    machine_until: datetime | None
    is_running: bool

    @property
    def is_queue_told(self) -> bool:
        """Whether the queue says more than the state beside it."""
        return self.queue not in (Queue.DONE, Queue.WAITING_FOR_APPROVAL)


def case_of(head: Head) -> Case:
    """Who has it at the head's instant; a slot that was given back is nobody's."""
    operation, now = head.operation, head.now
    holds = not operation.claim_given_back
    is_running = holds and is_live(operation.claim_expires_at, now)
    return Case(
        queue=head.queue,
        asked_by=asked_by(operation),
        holder=operation.review_holder.username if operation.review_holder else "",
        holder_until=operation.review_expires_at,
        is_held=head.facts.reviewer(now) is not None,
        machine_holder=operation.claim_holder if is_running else "",
        machine_until=operation.claim_expires_at if is_running else None,
        is_running=is_running,
    )


def asked_by(operation: Operation) -> str:
    """The agent, and the person behind it."""
    names = [
        operation.agent.name if operation.agent else "",
        operation.requested_by.username if operation.requested_by else "",
    ]
    return " for ".join(name for name in names if name) or "nobody on record"
