"""The queue of `operations.protocol.queues` as a column, to count and to filter by.

A test holds it against the protocol's own function over every combination of facts.
"""

from datetime import datetime

from django.db.models import Case, Exists, OuterRef, Q, TextField, Value, When

from operations.models import Approval, Attempt, Review
from operations.protocol.states import (
    OPEN_STATES,
    ApprovalStatus,
    ApprovalSubject,
    Question,
    Queue,
    State,
)


def is_overdue(now: datetime) -> Q:
    """Waits for approval by a request whose time is over: it reads otherwise already (sect. 6)."""
    requests = Approval.objects.filter(
        operation=OuterRef("pk"), status=ApprovalStatus.OPEN, expires_at__lte=now
    )
    overdue = Exists(requests.exclude(subject=ApprovalSubject.PROPOSAL))
    return Q(state=State.AWAITING_APPROVAL) & Q(overdue)


def has_attempt() -> Exists:
    """Whether something may have been sent."""
    return Exists(Attempt.objects.filter(operation=OuterRef("pk")))


def queue_column(now: datetime) -> Case:
    """Where each operation is shown at `now`; the first match wins, as in the protocol."""
    questions = Review.objects.filter(operation=OuterRef("pk"), closed_at=None)
    stalled = Q(question=Question.STALLED)
    is_cancelled = is_overdue(now) & ~Q(has_attempt())
    in_order = (
        (Q(Exists(questions.exclude(stalled))), Queue.UNRESOLVED),
        (Q(Exists(questions.filter(stalled))), Queue.STALLED),
        (Q(state=State.AWAITING_APPROVAL) & ~is_overdue(now), Queue.WAITING_FOR_APPROVAL),
        (Q(claim_given_back=False, claim_expires_at__gt=now), Queue.RUNNING),
        (Q(next_try_at__gt=now), Queue.SCHEDULED),
        (Q(next_try_at__isnull=False), Queue.DUE),
        (Q(state__in=OPEN_STATES) & ~is_cancelled, Queue.DUE),
    )
    return Case(
        *(When(condition, then=Value(str(found))) for condition, found in in_order),
        default=Value(str(Queue.DONE)),
        output_field=TextField(),
    )
