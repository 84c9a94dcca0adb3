"""The holder of a claim asks for more time, to send. It never moves a send deadline (rule 9)."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from operations import clock
from operations.actions.apply_event import record_change
from operations.actions.claim_operation import LEASE_SECONDS, is_held
from operations.actions.own_claim import lock_own_claim
from operations.actors import Actor
from operations.models import Claim, Operation
from operations.protocol.refusals import InvalidField, Refusal, StaleClaim


def renew_claim(
    *, operation_id: UUID, actor: Actor, token: int, lease_seconds: int | None = None
) -> Claim:
    """The claim with its new `expires_at`; `lease_seconds` defaults to the lease it was taken with.

    Raises NotFound, StaleClaim when the token is not the current, unexpired one or its send
    deadline is over, InvalidField.
    """
    if lease_seconds is not None and lease_seconds not in LEASE_SECONDS:
        raise InvalidField(field="lease_seconds", expected="5 to 300", got=lease_seconds)
    with transaction.atomic():
        renewed = _renew(operation_id, actor, token, lease_seconds)
    if isinstance(renewed, Refusal):
        raise renewed
    return renewed


def _renew(
    operation_id: UUID, actor: Actor, token: int, lease_seconds: int | None
) -> Claim | Refusal:
    claim = lock_own_claim(operation_id=operation_id, actor=actor, token=token)
    if isinstance(claim, Refusal):
        return claim
    operation, now = claim.operation, clock.now()
    if not is_held(operation, now):
        raise StaleClaim(
            expected=f"token {token}, unexpired", got=f"one that was over at {now:%H:%M:%S}"
        )
    _require_time_to_send(operation, token, at=now)
    claim.expires_at = now + timedelta(seconds=lease_seconds or claim.lease_seconds)
    claim.save(update_fields=["expires_at"])
    record_change(
        operation,
        "renew_claim",
        actor=actor,
        at=now,
        changes={"claim_expires_at": claim.expires_at},
        bumps_version=False,
        token=token,
    )
    return claim


def _require_time_to_send(operation: Operation, token: int, *, at: datetime) -> None:
    """Once nothing may leave any more a longer lease would only keep lookups away.

    A sender that hangs while its heart beats would do so for ever. It can still report.
    """
    attempt = operation.attempts.filter(token=token).first()
    if attempt is not None and attempt.send_deadline_at <= at:
        raise StaleClaim(
            expected="a send deadline that is still ahead",
            got=f"one that was over at {attempt.send_deadline_at:%H:%M:%S}",
        )
