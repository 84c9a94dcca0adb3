"""When the last request of an operation can have left, in one statement however many attempts."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import OuterRef
from django.db.models.functions import Coalesce

from operations.models import Attempt, AttemptEnd, Operation, SenderGone
from operations.protocol.profiles import CallTimes, Profile, last_call_at


def last_call_of(operation: Operation, profile: Profile) -> datetime:
    """What `last_call_at` says of its attempts; without one, when it was registered.

    An attempt is closed by its sender's own end, or by the second person who says it is gone.
    """
    return last_calls_of([operation], profile)[operation.pk]


def last_calls_of(operations: Sequence[Operation], profile: Profile) -> dict[UUID, datetime]:
    """The same of many that have one receiver, by operation."""
    ended = AttemptEnd.objects.filter(attempt=OuterRef("pk"), is_stale=False).values("at")
    gone = SenderGone.objects.filter(attempt=OuterRef("pk")).order_by("at").values("at")[1:2]
    attempts = Attempt.objects.filter(operation__in=[each.pk for each in operations])
    times = defaultdict(list)
    for operation_id, *each in attempts.values_list(
        "operation_id", "send_deadline_at", Coalesce(ended, gone)
    ):
        times[operation_id].append(CallTimes(*each))
    return {
        each.pk: last_call_at(profile, times[each.pk]) or each.created_at for each in operations
    }
