"""How a review can be closed: every question has an exit in every state (section 6, rule 15)."""

from dataclasses import dataclass

from operations.protocol.states import OPEN_STATES, Finding, Question, State


@dataclass(frozen=True, slots=True, kw_only=True)
class Exit:
    """One way out. `needs_second`: it takes two people where the receiver's profile asks for it."""

    finding: Finding
    sentence: str
    needs_second: bool = False


def exits(
    question: Question, *, state: State, has_attempt: bool, is_about_other: bool
) -> tuple[Exit, ...]:
    """The ways to close a review of this question, in the order to show them.

    `is_about_other`: its receipt belongs to the operation that this one supersedes. An unknown
    outcome has none: it closes when the operation itself is decided.
    """
    if is_about_other:
        return _GOES_ON
    if question is Question.RECEIPT_MISMATCH:
        return _after_mismatch(state, has_attempt=has_attempt)
    if question is Question.LATE_RECEIPT:
        return (_ANOTHERS, _STANDS, _COMPENSATE) if state is State.CONFIRMED else _AFTER_LATE
    if question is Question.DUPLICATE_ANSWER and state not in OPEN_STATES:
        return (_STANDS,)
    return _ALWAYS[question]


def _after_mismatch(state: State, *, has_attempt: bool) -> tuple[Exit, ...]:
    if state is State.CONFIRMED:
        return (_ANOTHERS, _COMPENSATE)
    if state in OPEN_STATES and not has_attempt:
        return (_ANOTHERS,)  # nothing was sent, so it can't be this operation's effect
    return (_ANOTHERS, _ATTESTED)


_ANOTHERS = Exit(
    finding=Finding.NOT_OURS,
    sentence="The receipt shows another's effect. It is kept, and no longer holds this operation.",
)
_ATTESTED = Exit(
    finding=Finding.CONFIRMED_ATTESTED,
    sentence="It is this operation's effect all the same: confirmed, attested, with the "
    "differences on record.",
    needs_second=True,
)
_CORRECTED = Exit(
    finding=Finding.CORRECTED,
    sentence="It happened after all: the operation is corrected to confirmed.",
    needs_second=True,
)
_STANDS = Exit(
    finding=Finding.STANDS, sentence="The record stands as it is; this explains the doubt."
)
_REVERSED = Exit(
    finding=Finding.REVERSED,
    sentence="The receiver has reversed the effect. The operation stays confirmed and is marked "
    "as reversed.",
)
_COMPENSATE = Exit(
    finding=Finding.COMPENSATE,
    sentence="A linked operation makes up for it; register that one first.",
)
_RESUMED = Exit(
    finding=Finding.RESUMED,
    sentence="It goes on now: due again at once, looked up if it may have been sent.",
)
_WAITS = Exit(
    finding=Finding.STANDS,
    sentence="The reason is known, and it waits; it is due again after the receiver's limit.",
)
_AFTER_LATE = (_CORRECTED, _ANOTHERS)
_GOES_ON = (
    Exit(
        finding=Finding.NOT_OURS,
        sentence="The late receipt shows another's effect, so this one goes on.",
        needs_second=True,
    ),
    Exit(
        finding=Finding.STANDS,
        sentence="The old one may have happened, and this one is wanted all the same.",
        needs_second=True,
    ),
)
_ALWAYS: dict[Question, tuple[Exit, ...]] = {
    Question.UNKNOWN_OUTCOME: (),
    Question.CONTRADICTION: (_STANDS, _REVERSED, _COMPENSATE),
    Question.DUPLICATE_EFFECT: (_COMPENSATE, _ANOTHERS),
    Question.DUPLICATE_ANSWER: (_RESUMED, _STANDS),
    Question.STALLED: (_RESUMED, _WAITS),
}
