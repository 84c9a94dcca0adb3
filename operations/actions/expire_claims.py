"""The sweep over claims whose lease ran out: the ledger says how they ended."""

from uuid import UUID

from django.db import transaction

from operations import clock, hints
from operations.actions.apply_event import record_change
from operations.actors import Actor
from operations.models import Claim, Operation
from operations.protocol.states import ClaimEnd, Executor, Slot, State

SWEEP = Actor.system("sweep")


def expire_claims(*, limit: int) -> int:
    """End at most `limit` overdue claims of either slot as `expired`; returns how many.

    The slot itself was free from the lease's last instant on, and the token stays current for
    reports until a higher one is issued (rule 4). Each in its own transaction; an operation that
    somebody is busy with is left for the next run.
    """
    overdue = Claim.objects.filter(ended_at=None, expires_at__lte=clock.now())
    found = overdue.order_by("expires_at").values_list("pk", "operation_id")[:limit]
    return sum(_expire(claim_id, operation_id) for claim_id, operation_id in found)


@transaction.atomic
def _expire(claim_id: int, operation_id: UUID) -> bool:
    free = Operation.objects.select_for_update(of=("self",), skip_locked=True)
    operation = free.filter(pk=operation_id).first()
    if operation is None:
        return False
    at = clock.now()
    claim = Claim.objects.select_for_update(of=("self",)).get(pk=claim_id)
    if claim.ended_at is not None or claim.expires_at > at:
        return False
    claim.ended_at, claim.end = claim.expires_at, str(ClaimEnd.EXPIRED)
    claim.save(update_fields=["ended_at", "end"])
    record_change(
        operation,
        "expire_claim",
        actor=SWEEP,
        at=at,
        bumps_version=False,
        token=claim.token,
        detail={
            # A person's name is not for the chain; the ledger has it.
            "holder": claim.holder if claim.slot == Slot.MACHINE else "",
            "purpose": claim.purpose,
            "expires_at": claim.expires_at.isoformat(),
        },
    )
    if claim.slot == Slot.MACHINE:
        _hint(operation)
    return True


def _hint(operation: Operation) -> None:
    """What the holder left undone can be taken up by another."""
    if operation.state == State.SENT_UNKNOWN:
        hints.reconcile_soon(operation.pk)
    elif operation.state == State.READY and operation.executor == Executor.CONSOLE:
        hints.dispatch_soon(operation.pk)
