"""People find, on evidence, that nothing happened at the receiver (rule 3, last paragraph)."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from operations.actions.apply_event import apply_event
from operations.actions.begin_decision import Begun, Decided, basis, begin_decision, judge
from operations.actions.closed_choice import closed_by
from operations.actions.propose import perform_or_propose
from operations.actions.reasons import optional_words, require_words
from operations.actions.refused_acts import a_persons_act
from operations.actions.settle import close_what_settling_answers
from operations.actors import Actor
from operations.protocol.choices import not_executed_blockers
from operations.protocol.release import not_executed_needs_second
from operations.protocol.states import ChoiceCode
from operations.protocol.transitions import Event
from operations.roles import Ability

ACT = "find_not_executed"


def find_not_executed(
    *,
    operation_id: UUID,
    actor: Actor,
    version: int,
    reason: str,
    named_answer: str = "",
    decision_id: str = "",
) -> Decided:
    """A proposal, or `not_executed` at once where the profile asks for no second person.

    `named_answer` says who at the receiver answered what; without a lookup it is required, and so
    are two people. Raises ChoiceClosed for rule 3 (a) to (c), and what `begin_decision` raises.
    """
    with a_persons_act(ACT, actor=actor, subject=operation_id):
        begun = begin_decision(
            operation_id=operation_id,
            actor=actor,
            act=ACT,
            ability=Ability.SETTLE,
            version=version,
            decision_id=decision_id,
            choice=ChoiceCode.NOT_EXECUTED,
        )
        if begun.is_repeat:
            return Decided(operation=begun.operation, is_repeat=True)
        terms = {"named_answer": _named(begun, named_answer)}
        return perform_or_propose(
            begun,
            choice=ChoiceCode.NOT_EXECUTED,
            terms=terms,
            reason=require_words(reason),
            sentence="Record that nothing happened at the receiver; nothing is sent.",
            needs_second=not_executed_needs_second(begun.profile),
            carry_out=carry_out_finding,
        )


def carry_out_finding(begun: Begun, terms: Mapping[str, Any], reason: str) -> None:
    """`not_executed`, judged at this commit. Raises ChoiceClosed for the first reason against."""
    begun = judge(begun)
    blockers = not_executed_blockers(
        begun.facts,
        begun.profile,
        begun.at,
        second_person_agrees=begun.proposal is not None,
        has_named_answer=bool(terms["named_answer"]),
    )
    if blockers:
        raise closed_by(ChoiceCode.NOT_EXECUTED, blockers[0])
    apply_event(
        begun.operation,
        Event.FIND_NOT_EXECUTED,
        actor=begun.actor,
        at=begun.at,
        changes={"next_try_at": None},
        reason=reason,
        detail={**basis(begun), "has_named_answer": bool(terms["named_answer"])},
    )
    close_what_settling_answers(begun.operation, actor=begun.actor, at=begun.at)


def _named(begun: Begun, named_answer: str) -> str:
    if begun.profile.has_lookup:
        return optional_words(named_answer, field="named_answer")
    return require_words(
        named_answer, field="named_answer", expected="who at the receiver said so, and when"
    )
