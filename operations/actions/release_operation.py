"""People release an operation for exactly one more send under the same key (rule 3)."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from operations import hints
from operations.actions.apply_event import apply_event
from operations.actions.ask_approval import ask_for_new_round, latest_request, policy_for
from operations.actions.begin_decision import Begun, Decided, basis, begin_decision, judge
from operations.actions.closed_choice import closed_by
from operations.actions.open_review import ANSWERED_BY_SETTLING, close_reviews
from operations.actions.propose import perform_or_propose
from operations.actions.reasons import require_words
from operations.actions.refused_acts import a_persons_act
from operations.actors import Actor
from operations.protocol.choices import release_blockers
from operations.protocol.release import release_needs_second
from operations.protocol.states import ChoiceCode, Executor, Finding
from operations.protocol.transitions import Event
from operations.roles import Ability

ACT = "release_operation"


def release_operation(
    *,
    operation_id: UUID,
    actor: Actor,
    version: int,
    reason: str,
    decision_id: str = "",
) -> Decided:
    """A proposal to release, or the next generation opened where one person is enough.

    Raises ChoiceClosed for rule 3 (a) to (d), and what `begin_decision` raises.
    """
    with a_persons_act(ACT, actor=actor, subject=operation_id):
        begun = begin_decision(
            operation_id=operation_id,
            actor=actor,
            act=ACT,
            ability=Ability.SETTLE,
            version=version,
            decision_id=decision_id,
            choice=ChoiceCode.RELEASE,
        )
        if begun.is_repeat:
            return Decided(operation=begun.operation, is_repeat=True)
        return perform_or_propose(
            begun,
            choice=ChoiceCode.RELEASE,
            terms={"generation": begun.operation.generation},
            reason=require_words(reason),
            sentence=f"Send once more, as generation {begun.operation.generation + 1}.",
            needs_second=release_needs_second(begun.profile),
            carry_out=carry_out_release,
        )


def carry_out_release(begun: Begun, terms: Mapping[str, Any], reason: str) -> None:
    """Open the next generation, judged at this commit. Raises ChoiceClosed.

    Where the request needs approval, a new round for that generation is asked for in the same
    breath: an approval covers one generation.
    """
    begun = judge(begun)
    blockers = release_blockers(
        begun.facts, begun.profile, begun.at, second_person_agrees=begun.proposal is not None
    )
    if blockers:
        raise closed_by(ChoiceCode.RELEASE, blockers[0])
    operation, at = begun.operation, begun.at
    is_ours = operation.executor == Executor.CONSOLE
    needs_yes = latest_request(operation) is not None or policy_for(operation) is not None
    apply_event(
        operation,
        Event.RELEASE,
        actor=begun.actor,
        at=at,
        changes={
            "generation": operation.generation + 1,
            "next_try_at": at if is_ours and not needs_yes else None,
        },
        reason=reason,
        detail=basis(begun),
    )
    close_reviews(
        operation,
        ANSWERED_BY_SETTLING,
        finding=Finding.RELEASED,
        reason=f"Released for generation {operation.generation}.",
        actor=begun.actor,
        at=at,
    )
    if needs_yes:
        ask_for_new_round(operation, actor=begun.actor, at=at, asked_by_id=_asker(begun))
    elif is_ours:
        hints.dispatch_soon(operation.pk)


def _asker(begun: Begun) -> int:
    """Who asked for the send: the proposer, or the one person who decided."""
    proposer = begun.proposal.requested_by_id if begun.proposal else None
    return proposer or begun.user.pk
