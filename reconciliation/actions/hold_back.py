"""A due lookup that its receiver has no room for is planned for later; nobody is asked anything."""

import random
from datetime import datetime
from uuid import UUID

from django.db import transaction

from operations import clock
from operations.actions.apply_event import lock_operation, record_change
from operations.actions.open_review import open_review
from operations.actors import Actor
from operations.models import Operation
from operations.protocol.claims import is_live
from operations.protocol.states import LookupResult
from operations.protocol.words import storable
from operations.queries.last_call import last_call_of
from operations.registry import profile_of
from reconciliation.actions.looked import LOOKED_UP_STATES, looked_at
from reconciliation.actions.pass_gate import HeldBack
from reconciliation.models import HeldLookup
from reconciliation.protocol.circuit import OF_THE_RECEIVER, held_until, hold_sentence
from reconciliation.protocol.verdicts import Conclusion, conclude


@transaction.atomic(durable=True)
def hold_back(*, operation_id: UUID, held: HeldBack, actor: Actor) -> bool:
    """Plan the lookup for when the receiver may be asked; False where it is not due any more.

    While the receiver itself is why, it could not be asked since: beyond the limit a person sees
    the operation as stalled, as after lookups that failed. A budget of ours asks nobody.
    """
    operation = lock_operation(operation_id)
    now = clock.now()
    if not _is_due(operation, now):
        return False
    profile = profile_of(operation)
    is_unasked = held.reason in OF_THE_RECEIVER
    row = HeldLookup.objects.filter(pk=operation_id).first()
    times = row.times + 1 if row and row.until == operation.next_try_at else 1
    until = held_until(
        may_ask_at=max(held.may_ask_at, now),
        times_held=times,
        interval_seconds=profile.lookup_interval_seconds,
        jitter=random.random(),  # noqa: S311  spreads load, guards nothing
    )
    why = hold_sentence(held.reason, receiver=operation.receiver, last_error=held.last_error)
    since = operation.could_not_ask_since or now if is_unasked else operation.could_not_ask_since
    HeldLookup.objects.update_or_create(
        pk=operation_id, defaults={"reason": held.reason, "until": until, "times": times}
    )
    record_change(
        operation,
        "schedule_lookup",
        actor=actor,
        at=now,
        changes={"next_try_at": until, "could_not_ask_since": since},
        bumps_version=False,
        detail={"next_try_at": until.isoformat(), "held_by": str(held.reason), "why": why},
    )
    if is_unasked:
        _show(operation, since, why, actor=actor, at=now)
    return True


def _is_due(operation: Operation, now: datetime) -> bool:
    holds_until = None if operation.claim_given_back else operation.claim_expires_at
    is_due = operation.next_try_at is not None and operation.next_try_at <= now
    return operation.state in LOOKED_UP_STATES and is_due and not is_live(holds_until, now)


def _show(
    operation: Operation, since: datetime | None, why: str, *, actor: Actor, at: datetime
) -> None:
    """Judged as a lookup that failed now: by the same rule, in the same words."""
    profile = profile_of(operation)
    looked = looked_at(
        operation,
        result=LookupResult.COULD_NOT_ASK,
        asked_at=at,
        last_call_at=last_call_of(operation, profile),
        since=since,
        detail=why,
    )
    conclusion: Conclusion = conclude(looked, profile)
    if conclusion.question:
        reason = storable(conclusion.reason)
        open_review(operation, conclusion.question, reason=reason, actor=actor, at=at)
