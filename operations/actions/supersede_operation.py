"""A person starts a new operation in place of one that had no effect (rule 3)."""

from uuid import UUID

from operations.actions.begin_decision import Decided, begin_decision, finish_decision
from operations.actions.follow_up import FollowUp, register_follow_up
from operations.actions.linked_operation import successor
from operations.actions.reasons import require_words
from operations.actions.refused_acts import a_persons_act
from operations.actors import Actor
from operations.protocol.states import ChoiceCode
from operations.roles import Ability

ACT = "supersede_operation"


def supersede_operation(
    *,
    operation_id: UUID,
    actor: Actor,
    version: int,
    wanted: FollowUp,
    reason: str,
    decision_id: str = "",
) -> Decided:
    """The new operation is `follow_up`: linked, under its own key, waiting for approval.

    Raises ChoiceClosed unless the old one is refused, not_executed or cancelled without an
    unanswered word about it, and while another successor is open or confirmed; else what
    `begin_decision` and `register_operation` raise.
    """
    with a_persons_act(ACT, actor=actor, subject=operation_id):
        begun = begin_decision(
            operation_id=operation_id,
            actor=actor,
            act=ACT,
            ability=Ability.SETTLE,
            version=version,
            decision_id=decision_id,
            choice=ChoiceCode.SUPERSEDE,
        )
        if begun.is_repeat:
            return Decided(
                operation=begun.operation, is_repeat=True, follow_up=successor(begun.operation)
            )
        new = register_follow_up(begun, wanted, link="supersedes", reason=require_words(reason))
        finish_decision(begun)
        return Decided(operation=begun.operation, follow_up=new)
