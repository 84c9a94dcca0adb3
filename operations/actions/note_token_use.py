"""When a token was last used, to the minute: enough to find the ones nobody needs."""

from datetime import datetime, timedelta

from django.db.models import Q

from operations.models import ApiToken

EVERY = timedelta(minutes=1)


def note_token_use(token: ApiToken, *, at: datetime) -> None:
    """Write `last_used_at`, at most once a minute, so that reads stay reads."""
    if token.last_used_at is not None and at - token.last_used_at < EVERY:
        return
    stale = Q(last_used_at=None) | Q(last_used_at__lte=at - EVERY)
    ApiToken.objects.filter(stale, pk=token.pk).update(last_used_at=at)
