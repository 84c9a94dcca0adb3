"""A person cancels an operation that was never sent."""

from uuid import UUID

from operations.actions.begin_decision import Decided, begin_decision, finish_decision
from operations.actions.cancel_operation import cancel_operation
from operations.actions.reasons import require_words
from operations.actions.refused_acts import a_persons_act
from operations.actors import Actor
from operations.protocol.states import ChoiceCode
from operations.roles import Ability

ACT = "withdraw_operation"


def withdraw_operation(
    *, operation_id: UUID, actor: Actor, version: int, reason: str, decision_id: str = ""
) -> Decided:
    """`cancelled`, cause withdrawn; final for this key.

    Raises ChoiceClosed after an attempt, AlreadyClaimed while a worker holds it, and what
    `begin_decision` raises.
    """
    with a_persons_act(ACT, actor=actor, subject=operation_id):
        begun = begin_decision(
            operation_id=operation_id,
            actor=actor,
            act=ACT,
            ability=Ability.SETTLE,
            version=version,
            decision_id=decision_id,
            choice=ChoiceCode.CANCEL,
        )
        if begun.is_repeat:
            return Decided(operation=begun.operation, is_repeat=True)
        cancel_operation(
            operation_id=operation_id,
            actor=actor,
            version=begun.operation.version,
            reason=require_words(reason),
        )
        begun.operation.refresh_from_db()
        finish_decision(begun)
        return Decided(operation=begun.operation)
