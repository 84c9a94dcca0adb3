"""The dispatcher takes the machine slot of a due operation, or leaves it to a person."""

from uuid import UUID

from django.db import transaction

from operations import clock
from operations.actions.apply_event import record_change
from operations.actions.stand_back import stall
from operations.actions.take_slot import enter_claim, take_slot
from operations.actors import Actor
from operations.models import Claim, Operation
from operations.protocol.profiles import Profile
from operations.protocol.states import Executor, Purpose, State
from operations.queries.due import due_and_free
from operations.queries.halts import halt_over
from operations.registry import profile_of

# From the claim to the mark there is only our own work; this leaves the mark its full time.
LEASE_MARGIN_SECONDS = 5


@transaction.atomic(durable=True)
def claim_for_dispatch(*, operation_id: UUID, holder: str, actor: Actor) -> Claim | None:
    """The claim, or None: not due, held by another, halted, not the console's to send.

    One that was claimed too often without a mark goes to a person instead: whatever ends its
    workers would end the next one too.
    """
    operation = Operation.objects.filter(
        due_and_free(clock.now()), pk=operation_id, executor=Executor.CONSOLE, state=State.READY
    ).first()
    if operation is None:
        return None
    if halt_over(environment=operation.environment, receiver=operation.receiver):
        return None
    profile = profile_of(operation)
    if operation.claims_without_mark >= profile.claims_before_stalled:
        why = f"It was claimed {operation.claims_without_mark} times without a mark."
        stall(operation_id=operation_id, actor=actor, why=why)
        return None
    return _take(operation, profile, holder=holder, actor=actor)


def _take(operation: Operation, profile: Profile, *, holder: str, actor: Actor) -> Claim | None:
    lease_seconds = profile.send_within_seconds + LEASE_MARGIN_SECONDS
    taken = take_slot(
        operation_id=operation.pk,
        purpose=Purpose.DISPATCH,
        holder=holder,
        lease_seconds=lease_seconds,
        is_due_only=True,
    )
    if not taken:
        return None
    operation.refresh_from_db()
    claim = enter_claim(operation, actor=actor, lease_seconds=lease_seconds, nonce="")
    record_change(
        operation,
        "claim",
        actor=actor,
        at=claim.taken_at,
        bumps_version=False,
        token=claim.token,
        detail={"holder": holder, "purpose": claim.purpose, "lease_seconds": lease_seconds},
    )
    return claim
