"""A person takes a case, so that others see who decides (rule 7); evidence is taken in as ever."""

from uuid import UUID

from operations.actions.apply_event import record_change
from operations.actions.begin_decision import begin_decision
from operations.actions.decision_tokens import remember
from operations.actions.refused_acts import a_persons_act
from operations.actors import Actor
from operations.models import Operation
from operations.protocol.refusals import InvalidField
from operations.protocol.states import ChoiceCode
from operations.roles import Ability

ACT = "take_case"
LEASE_SECONDS = 15 * 60
ALLOWED_SECONDS = range(60, 8 * 3600 + 1)


def take_case(
    *,
    operation_id: UUID,
    actor: Actor,
    version: int,
    lease_seconds: int = LEASE_SECONDS,
    decision_id: str = "",
) -> Operation:
    """The operation with its review slot held for 1 minute to 8 hours; again gives more time.

    Its version stays. Raises InvalidField, CaseHeld naming who holds it and until when,
    ChoiceClosed when it asks nothing of a person, and what `begin_decision` raises.
    """
    if lease_seconds not in ALLOWED_SECONDS:
        raise InvalidField(field="lease_seconds", expected="60 to 28800", got=lease_seconds)
    with a_persons_act(ACT, actor=actor, subject=operation_id):
        begun = begin_decision(
            operation_id=operation_id,
            actor=actor,
            act=ACT,
            ability=Ability.SETTLE,
            version=version,
            decision_id=decision_id,
            choice=ChoiceCode.TAKE,
            slot_seconds=lease_seconds,
        )
        operation = begun.operation
        if begun.is_repeat:
            return operation
        record_change(
            operation,
            "take_case",
            actor=actor,
            at=begun.at,
            bumps_version=False,
            token=operation.review_token,
            detail={"lease_seconds": lease_seconds, "is_longer": begun.had_case},
        )
        remember(decision_id, act=ACT, user=begun.user, operation=operation, at=begun.at)
        return operation
