"""When the last request of an operation can have left, in one statement however many attempts."""

from datetime import datetime

from django.db.models import OuterRef
from django.db.models.functions import Coalesce

from operations.models import AttemptEnd, Operation, SenderGone
from operations.protocol.profiles import CallTimes, Profile, last_call_at


def last_call_of(operation: Operation, profile: Profile) -> datetime:
    """What `last_call_at` says of its attempts; without one, when it was registered.

    An attempt is closed by its sender's own end, or by the second person who says it is gone.
    """
    ended = AttemptEnd.objects.filter(attempt=OuterRef("pk"), is_stale=False).values("at")
    gone = SenderGone.objects.filter(attempt=OuterRef("pk")).order_by("at").values("at")[1:2]
    times = operation.attempts.values_list("send_deadline_at", Coalesce(ended, gone))
    return last_call_at(profile, (CallTimes(*each) for each in times)) or operation.created_at
