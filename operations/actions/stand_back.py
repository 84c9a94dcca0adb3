"""A dispatcher that may not send lets go of its claim, and says why."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from operations import clock
from operations.actions.apply_event import lock_operation, record_change
from operations.actions.open_review import open_review
from operations.actions.take_slot import end_claim
from operations.actors import Actor
from operations.models import Operation
from operations.protocol.states import ClaimEnd, Question, State

AGAIN_AFTER_SECONDS = 30


@transaction.atomic
def stand_back(*, operation_id: UUID, actor: Actor, token: int, why: str) -> None:
    """Free the slot that `token` holds; a `ready` operation is due again after a while.

    Nothing happens when the token is not the current one any more.
    """
    operation = lock_operation(operation_id)
    if operation.claim_token == token and not operation.claim_given_back:
        now = clock.now()
        again_at = now + timedelta(seconds=AGAIN_AFTER_SECONDS)
        _let_go(operation, actor, at=now, why=why, again_at=again_at)


@transaction.atomic
def stall(*, operation_id: UUID, actor: Actor, why: str, token: int | None = None) -> None:
    """Ask a person, with the reason; a `ready` operation is not due until one answers.

    Only while it is `ready` and, with `token`, while that one is current. The state stays.
    """
    operation = lock_operation(operation_id)
    is_mine = token is None or operation.claim_token == token
    if operation.state != State.READY or not is_mine:
        return
    now = clock.now()
    if token is not None and not operation.claim_given_back:
        _let_go(operation, actor, at=now, why=why, again_at=None)
    else:
        _wait_for_a_person(operation, actor, at=now, why=why)
    open_review(operation, Question.STALLED, reason=why, actor=actor, at=now)


def _let_go(
    operation: Operation, actor: Actor, *, at: datetime, why: str, again_at: datetime | None
) -> None:
    end_claim(operation, end=ClaimEnd.GIVEN_BACK, at=at)
    changes: dict[str, object] = {"claim_given_back": True}
    if operation.state == State.READY:
        changes["next_try_at"] = again_at
    record_change(
        operation,
        "give_back_claim",
        actor=actor,
        at=at,
        changes=changes,
        bumps_version=False,
        token=operation.claim_token,
        detail={"why": why},
    )


def _wait_for_a_person(operation: Operation, actor: Actor, *, at: datetime, why: str) -> None:
    record_change(
        operation,
        "stop_dispatch",
        actor=actor,
        at=at,
        changes={"next_try_at": None},
        bumps_version=False,
        detail={"why": why},
    )
