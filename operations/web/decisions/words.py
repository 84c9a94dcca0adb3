"""What came of a decision, in the sentence that the person reads."""

from collections.abc import Callable
from dataclasses import dataclass

from operations.actions.begin_decision import Decided
from operations.models import Operation
from operations.protocol.claims import is_live
from operations.protocol.states import Purpose, State
from operations.protocol.words import until_text
from operations.templatetags.looks import state_look
from operations.web.submitting import DONE_BEFORE


def told(done: str) -> Callable[[Decided], str]:
    """`done` when it took effect; else that it is proposed, or was done before."""

    def tell(decided: Decided) -> str:
        if decided.is_repeat:
            return DONE_BEFORE
        if decided.proposal is not None:
            until = until_text(decided.proposal.expires_at, now=decided.proposal.opened_at)
            return (
                f"Proposed: {decided.proposal.sentence} Nothing has changed yet; it is done when "
                f"another person agrees, until {until}."
            )
        return done

    return tell


def told_lookup(operation: Operation) -> str:
    """When the receiver is asked: while a sender still has its claim, no machine can."""
    asked_at = operation.next_try_at or operation.updated_at
    holds = not operation.claim_given_back and is_live(operation.claim_expires_at, asked_at)
    if holds and operation.claim_expires_at and operation.claim_purpose == Purpose.DISPATCH:
        until = until_text(operation.claim_expires_at, now=asked_at)
        return (
            f"A lookup is due when the claim of {operation.claim_holder} ends, at {until} at the "
            "latest. Nothing is sent."
        )
    return "A lookup is due now. Its answer comes in below; nothing is sent."


@dataclass(frozen=True, slots=True)
class Answered:
    """A second person's answer, and what came of it."""

    decided: Decided
    is_yes: bool


def told_proposal(answered: Answered) -> str:
    """How the operation stands now that the choice was carried out, or was not."""
    if answered.decided.is_repeat:
        return DONE_BEFORE
    if not answered.is_yes:
        return "Rejected. What was proposed is not done; the operation stays as it was."
    return f"Done, with your agreement. The operation is now: {_state_of(answered.decided)}."


def told_request(answered: Answered) -> str:
    """Whether it may be sent now."""
    if answered.decided.is_repeat:
        return DONE_BEFORE
    if not answered.is_yes:
        return f"Rejected. Nothing is sent; the operation is now: {_state_of(answered.decided)}."
    if answered.decided.operation.state == State.READY:
        return "Approved. It may be sent once, with the bytes that are shown."
    return "Your yes is kept. More people have to agree before anything is sent."


def _state_of(decided: Decided) -> str:
    return state_look(decided.operation.state, decided.operation.grade).word


def told_follow_up(decided: Decided) -> str:
    """The key of the new operation, and that it waits."""
    new = decided.follow_up
    if new is None:
        return DONE_BEFORE
    return f"{new.key} is registered and is {new.state.replace('_', ' ')}. Nothing was sent."
