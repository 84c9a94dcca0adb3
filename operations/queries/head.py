"""How one operation stands: what the head of its page shows, read again every few seconds."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection

from operations import clock
from operations.models import Operation
from operations.protocol.choices import Facts, as_read
from operations.protocol.profiles import Profile
from operations.protocol.queues import QueueFacts, queue
from operations.protocol.refusals import NotFound
from operations.protocol.states import Queue
from operations.queries.facts import facts_of
from operations.registry import profile_of

_COUNTS = """
    SELECT (SELECT count(*) FROM operations_receipt WHERE operation_id = %(id)s),
        (SELECT count(*) FROM operations_attempt WHERE operation_id = %(id)s),
        (SELECT count(*) FROM operations_lookup WHERE operation_id = %(id)s),
        (SELECT count(*) FROM operations_approval WHERE operation_id = %(id)s),
        (SELECT max(seq) FROM operations_auditentry WHERE operation_id = %(id)s)
"""


@dataclass(frozen=True, slots=True)
class Counts:
    """How much evidence there is in all; `entries` is the number of the trail's last one."""

    receipts: int
    attempts: int
    lookups: int
    approvals: int
    entries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """One operation as it reads at `now`.

    The mark was read first, then the row: what stands beside a mark or a version may be newer than
    it, never older.
    `profile` promises nothing where the receiver is not configured any more.
    """

    operation: Operation
    read: Facts
    facts: Facts
    profile: Profile
    now: datetime
    counts: Counts

    @property
    def queue(self) -> Queue:
        """The one queue in which it is visible (rule 15)."""
        return queue(QueueFacts.of(self.facts), self.now)

    @property
    def mark(self) -> str:
        """What moves with every entry of the trail: two equal marks show the same record."""
        return f"{self.operation.version}-{self.counts.entries}"

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing is under way any more, so that nothing needs to be read again."""
        return self.facts.is_settled and self.queue is Queue.DONE


def head_of(operation_id: UUID, *, viewer: str) -> Head:
    """Read now for the person `viewer`: a fixed number of queries. Raises NotFound."""
    counts = _counts(operation_id)
    people = ("agent", "requested_by", "review_holder")
    operation = Operation.objects.select_related(*people).filter(pk=operation_id).first()
    if operation is None:
        raise NotFound(what="operation", got=str(operation_id))
    facts = facts_of(operation, viewer=viewer)
    now = clock.now()
    return Head(
        operation=operation,
        read=facts,
        facts=as_read(facts, now),
        profile=profile_of(operation),
        now=now,
        counts=counts,
    )


def _counts(operation_id: UUID) -> Counts:
    with connection.cursor() as cursor:
        cursor.execute(_COUNTS, {"id": operation_id})
        row = cursor.fetchone()
    assert row is not None
    return Counts(*row)
