"""What waits too long is shown to a person: a `stalled` review, and no other change (section 2)."""

from uuid import UUID

from django.db import transaction

from operations import clock
from operations.actions.apply_event import lock_operation
from operations.actions.open_review import open_review
from operations.actors import Actor
from operations.models import Operation
from operations.protocol.facts import Facts
from operations.protocol.queues import why_stalled
from operations.protocol.states import ApprovalStatus, Executor, Question, State
from operations.queries.facts import facts_of
from operations.queries.overdue import perhaps_stalled
from operations.registry import profile_of


def stall_overdue(*, limit: int) -> int:
    """Open a review for each operation beyond its limit; returns for how many.

    Running it twice, or in two places at once, opens none twice.
    """
    ids = perhaps_stalled(now=clock.now(), limit=limit)
    return sum(_stall(operation_id) for operation_id in ids)


@transaction.atomic
def _stall(operation_id: UUID) -> bool:
    operation = lock_operation(operation_id)
    now = clock.now()
    profile = profile_of(operation)
    facts = facts_of(operation)
    why = None
    if not facts.open_questions:
        why = why_stalled(facts, profile, now) or _never_due(operation, facts)
    if why:
        actor = Actor.system("sweep")
        open_review(operation, Question.STALLED, reason=why, actor=actor, at=now)
    return bool(why)


def _never_due(operation: Operation, facts: Facts) -> str | None:
    """A row that no sweep would ever find: it takes a mistake to make one, and people see it."""
    if operation.state == State.AWAITING_APPROVAL:
        is_asked = facts.approval_status is ApprovalStatus.OPEN
        return None if is_asked else "It waits for approval, and nobody is asked for one."
    is_ours = operation.executor == Executor.CONSOLE or operation.state == State.SENT_UNKNOWN
    if operation.state not in (State.READY, State.SENT_UNKNOWN) or not is_ours:
        return None
    return None if operation.next_try_at else "Nothing is scheduled for it, and nobody was asked."
