"""Whoever holds a case hands it back, so that another can take it at once."""

from uuid import UUID

from operations import clock
from operations.actions.apply_event import lock_operation, record_change
from operations.actions.begin_decision import require_seen_version
from operations.actions.closed_choice import closed
from operations.actions.decision_tokens import is_repeat, remember
from operations.actions.people import person_of
from operations.actions.refused_acts import a_persons_act
from operations.actions.review_slot import case_held, free_review_slot, holds_case
from operations.actors import Actor
from operations.models import Operation
from operations.protocol.states import ChoiceCode, ClaimEnd
from operations.roles import Ability, require

ACT = "hand_back_case"


def hand_back_case(
    *, operation_id: UUID, actor: Actor, version: int | None = None, decision_id: str = ""
) -> Operation:
    """The operation with a free review slot. Only its holder hands it back.

    Raises NotPermitted, NotFound, StaleVersion, CaseHeld, ChoiceClosed when nobody holds it.
    """
    with a_persons_act(ACT, actor=actor, subject=operation_id):
        user = person_of(actor)
        require(user, Ability.SETTLE)
        operation = lock_operation(operation_id)
        at = clock.now()
        if is_repeat(decision_id, act=ACT, user=user, operation=operation):
            return operation
        require_seen_version(operation, version)
        until = operation.review_expires_at
        if until is None or until <= at:
            raise closed(
                ChoiceCode.HAND_BACK,
                "wrong_state",
                "nobody holds this case.",
                "There is nothing to hand back.",
            )
        if not holds_case(operation, user, at):
            raise case_held(operation)
        token = operation.review_token
        free_review_slot(operation, end=ClaimEnd.GIVEN_BACK, at=at)
        record_change(
            operation, "hand_back_case", actor=actor, at=at, bumps_version=False, token=token
        )
        remember(decision_id, act=ACT, user=user, operation=operation, at=at)
        return operation
