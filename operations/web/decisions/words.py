"""What came of a decision, in the sentence that the person reads."""

from collections.abc import Callable

from operations.actions.begin_decision import Decided
from operations.protocol.words import until_text
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


def told_follow_up(decided: Decided) -> str:
    """The key of the new operation, and that it waits."""
    new = decided.follow_up
    if new is None:
        return DONE_BEFORE
    return f"{new.key} is registered and is {new.state.replace('_', ' ')}. Nothing was sent."
