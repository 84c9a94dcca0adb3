"""The review slot: one person at a time decides about an operation (rule 7)."""

from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Q

from operations.actions.take_slot import end_claim
from operations.models import Claim, Operation
from operations.protocol.refusals import CaseHeld
from operations.protocol.states import ClaimEnd, Purpose, Slot

_SLOT = ("review_token", "review_holder", "review_taken_at", "review_expires_at")


def holds_case(operation: Operation, user: User, at: datetime) -> bool:
    """Whether this person has the case at `at`."""
    until = operation.review_expires_at
    return operation.review_holder_id == user.pk and until is not None and until > at


def take_review_slot(
    operation: Operation, user: User, *, at: datetime, lease_seconds: int
) -> Claim:
    """The slot, for this person, in the caller's transaction; needs the row lock.

    A lease that ran out is replaced; whoever has the slot already gets more time under the same
    token. Raises CaseHeld, naming who has it and until when.
    """
    if holds_case(operation, user, at):
        return _prolong(operation, at=at, lease_seconds=lease_seconds)
    token = _next_token()
    expires_at = at + timedelta(seconds=lease_seconds)
    free = Q(review_holder=None) | Q(review_expires_at__lte=at)
    taken = Operation.objects.filter(free, pk=operation.pk, version=operation.version).update(
        review_token=token,
        review_holder=user,
        review_taken_at=at,
        review_expires_at=expires_at,
    )
    operation.refresh_from_db(fields=_SLOT)
    if not taken:
        raise case_held(operation)
    end_claim(operation, end=ClaimEnd.EXPIRED, at=at, slot=Slot.REVIEW)
    return Claim.objects.create(
        operation=operation,
        slot=Slot.REVIEW,
        purpose=Purpose.REVIEW,
        token=token,
        holder=user.username,
        person=user,
        version_seen=operation.version,
        lease_seconds=lease_seconds,
        taken_at=at,
        expires_at=expires_at,
    )


def case_held(operation: Operation) -> CaseHeld:
    """The refusal that names who holds the case, and until when."""
    holder = operation.review_holder.username if operation.review_holder else "somebody"
    return CaseHeld(holder=holder, purpose=Purpose.REVIEW, until=operation.review_expires_at)


def free_review_slot(operation: Operation, *, end: ClaimEnd, at: datetime) -> None:
    """Free the slot and end its claim in the ledger; nothing happens when nobody has it."""
    if operation.review_holder_id is None:
        return
    end_claim(operation, end=end, at=at, slot=Slot.REVIEW)
    _write(operation, review_holder=None, review_taken_at=None, review_expires_at=None)


def _prolong(operation: Operation, *, at: datetime, lease_seconds: int) -> Claim:
    until = max(operation.review_expires_at or at, at + timedelta(seconds=lease_seconds))
    _write(operation, review_expires_at=until)
    live = Claim.objects.filter(operation=operation, slot=Slot.REVIEW, ended_at=None)
    claim = live.get()
    if claim.expires_at != until:
        claim.expires_at = until
        claim.save(update_fields=["expires_at"])
    return claim


def _next_token() -> int:
    """From the one counter of all claims, which only grows."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval('operations_fencing_token')")
        return int(cursor.fetchall()[0][0])


def _write(operation: Operation, **values: Any) -> None:
    Operation.objects.filter(pk=operation.pk).update(**values)
    for name, value in values.items():
        setattr(operation, name, value)
