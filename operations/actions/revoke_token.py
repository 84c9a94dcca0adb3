"""An API token that opens nothing from now on."""

from django.db import transaction

from operations import clock
from operations.actions.record_access import record_access
from operations.actors import Actor
from operations.models import ApiToken


@transaction.atomic
def revoke_token(*, actor: Actor, token_id: int) -> bool:
    """Whether it was revoked now; one that was revoked before stays as it is.

    Raises ApiToken.DoesNotExist.
    """
    token = (
        ApiToken.objects.select_for_update(of=("self",)).select_related("agent").get(pk=token_id)
    )
    if token.revoked_at is not None:
        return False
    token.revoked_at = clock.now()
    token.save(update_fields=["revoked_at"])
    detail = {"token": token.pk, "agent": token.agent.name, "prefix": token.prefix}
    record_access(event="revoke_token", actor=actor, detail=detail)
    return True
