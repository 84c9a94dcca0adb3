"""Two people record that a sending process is gone, which closes its attempt (rule 3 d)."""

from uuid import UUID

from operations.actions.apply_event import record_change
from operations.actions.begin_decision import (
    Begun,
    Decided,
    basis,
    begin_decision,
    finish_decision,
)
from operations.actions.closed_choice import closed
from operations.actions.reasons import require_words
from operations.actions.refused_acts import a_persons_act
from operations.actors import Actor
from operations.models import Attempt, SenderGone
from operations.protocol.refusals import NotFound, OwnRequest
from operations.protocol.states import ChoiceCode
from operations.queries.involvement import involved
from operations.roles import Ability

ACT = "close_attempt"
NEEDED = 2


def close_attempt(
    *,
    operation_id: UUID,
    actor: Actor,
    version: int,
    generation: int,
    reason: str,
    decision_id: str = "",
) -> Decided:
    """One person's record; with the second one the attempt counts as closed.

    At most one of the two may have had a part in the request. Raises NotFound, OwnRequest,
    ChoiceClosed for a closed attempt or a second record by the same person, and what
    `begin_decision` raises.
    """
    with a_persons_act(ACT, actor=actor, subject=operation_id):
        begun = begin_decision(
            operation_id=operation_id,
            actor=actor,
            act=ACT,
            ability=Ability.SECOND,
            version=version,
            decision_id=decision_id,
            choice=ChoiceCode.CLOSE_ATTEMPT,
        )
        if begun.is_repeat:
            return Decided(operation=begun.operation, is_repeat=True)
        attempt = _open_attempt(begun, generation)
        _require_independent(begun, attempt)
        words = require_words(reason, expected="how you know that the process is gone")
        SenderGone.objects.create(attempt=attempt, person=begun.user, reason=words, at=begun.at)
        record_change(
            begun.operation,
            "sender_gone",
            actor=actor,
            at=begun.at,
            bumps_version=False,  # the second person sees the same version as the first
            reason=words,
            detail={
                **basis(begun),
                "generation": generation,
                "records": attempt.gone_records.count(),
                "needed": NEEDED,
            },
        )
        finish_decision(begun)
        return Decided(operation=begun.operation)


def _open_attempt(begun: Begun, generation: int) -> Attempt:
    attempt = begun.operation.attempts.filter(generation=generation).first()
    if attempt is None:
        raise NotFound(what="attempt of generation", got=str(generation))
    is_ended = attempt.ends.filter(is_stale=False).exists()
    if is_ended or attempt.gone_records.count() >= NEEDED:
        raise closed(
            ChoiceCode.CLOSE_ATTEMPT,
            "wrong_state",
            f"attempt {generation} is closed already.",
            "There is nothing to close.",
        )
    return attempt


def _require_independent(begun: Begun, attempt: Attempt) -> None:
    others = set(attempt.gone_records.values_list("person_id", flat=True))
    if begun.user.pk in others:
        raise closed(
            ChoiceCode.CLOSE_ATTEMPT,
            "needs_second_person",
            "you have recorded it already, and it takes two people.",
            "Ask a colleague to make sure too, and to record it.",
        )
    parts = involved(begun.operation)
    if begun.user.pk in parts and others & parts.keys():
        raise OwnRequest(got=parts[begun.user.pk])
