"""The refusal that a choice is closed, with its reason, its remedy and when it opens."""

from datetime import datetime

from operations.protocol.choices import Blocker
from operations.protocol.refusals import ChoiceClosed
from operations.protocol.states import ChoiceCode


def closed(
    code: ChoiceCode, closed_code: str, why: str, how: str, opens_at: datetime | None = None
) -> ChoiceClosed:
    """The refusal, ready to be raised."""
    return ChoiceClosed(
        choice=CHOICE_WORDS[code], closed_code=closed_code, why=why, how=how, opens_at=opens_at
    )


def closed_by(code: ChoiceCode, blocker: Blocker) -> ChoiceClosed:
    """The refusal for one blocker of rule 3."""
    return closed(code, blocker.code, blocker.sentence, blocker.remedy, blocker.opens_at)


CHOICE_WORDS: dict[ChoiceCode, str] = {
    ChoiceCode.LOOK_UP: "Looking up",
    ChoiceCode.ATTEST: "Attesting a receipt",
    ChoiceCode.NOT_EXECUTED: "Recording as not executed",
    ChoiceCode.RELEASE: "Releasing",
    ChoiceCode.SUPERSEDE: "Superseding",
    ChoiceCode.COMPENSATE: "Compensating",
    ChoiceCode.CANCEL: "Cancelling",
    ChoiceCode.TAKE: "Taking the case",
    ChoiceCode.HAND_BACK: "Handing the case back",
    ChoiceCode.NOTE: "Adding a note",
    ChoiceCode.SET_ASIDE: "Setting evidence aside",
    ChoiceCode.CLOSE_ATTEMPT: "Closing the attempt",
    ChoiceCode.SETTLE_REVIEW: "Settling the review",
}
