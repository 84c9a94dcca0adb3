"""For each choice: what closes it, what it does when it is open, and whether it takes two."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from operations.protocol.facts import Facts
from operations.protocol.profiles import Profile
from operations.protocol.release import (
    Blocker,
    not_executed_blockers,
    not_executed_needs_second,
    release_blockers,
    release_needs_second,
)
from operations.protocol.states import ChoiceCode, Question, State
from operations.protocol.words import at_text, until_text

type Closing = Callable[[Facts, Profile, datetime], list[Blocker]]
type Saying = Callable[[Facts, Profile, datetime], str]

_SUPERSEDABLE = (State.REFUSED, State.NOT_EXECUTED, State.CANCELLED)
# Their exits include one that ends in `confirmed`, which takes two people.
_MAY_CORRECT = frozenset({Question.RECEIPT_MISMATCH, Question.LATE_RECEIPT})


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceRule:
    """How one choice is judged. `is_decision`: needs the review slot; `is_proposed`: may wait for
    a second person, so that only one of its sort can be under way."""

    blockers: Closing
    says: Saying
    needs_second: Callable[[Facts, Profile], bool] = lambda _facts, _profile: False
    is_decision: bool = True
    is_proposed: bool = False


def _wrong_state(sentence: str, remedy: str) -> list[Blocker]:
    return [Blocker(code="wrong_state", sentence=sentence, remedy=remedy)]


def _look_up_closed(facts: Facts, profile: Profile, now: datetime) -> list[Blocker]:
    if not profile.has_lookup:
        return [
            Blocker(
                code="no_lookup",
                sentence=f"Receiver {profile.receiver} can't be looked up by key.",
                remedy=f"Ask the receiver: {profile.contact or 'no contact is configured'}.",
            )
        ]
    if facts.state not in (State.SENT_UNKNOWN, State.CONFIRMED):
        return _wrong_state(
            f"There is no outcome to look up or to check: the operation is {facts.state}.",
            "Look at the receipts and lookups on record.",
        )
    return []


def _look_up_says(facts: Facts, profile: Profile, now: datetime) -> str:
    deadline = facts.send_deadline_at
    if deadline is not None and deadline > now:
        from_then = f"from {until_text(deadline, now=now)} on, when its sender's time is over"
        return f"Asks {profile.receiver} for this key {from_then}. It sends nothing."
    return f"Asks {profile.receiver} for this key now. It sends nothing."


def _attest_closed(facts: Facts, profile: Profile, now: datetime) -> list[Blocker]:
    if facts.is_settled:
        return _wrong_state(
            f"The operation is settled already: {facts.state}.",
            "Answer its open review if there is one; a receipt never overwrites a settlement.",
        )
    return [] if facts.attempts else [_no_attempt("Nothing was sent, so no receipt can be its own")]


def _no_attempt(sentence: str) -> Blocker:
    return Blocker(
        code="no_attempt",
        sentence=f"{sentence}: no attempt is on record.",
        remedy="Look at how the operation stands and wait for its dispatch.",
    )


def _release_closed(facts: Facts, profile: Profile, now: datetime) -> list[Blocker]:
    return release_blockers(facts, profile, now, second_person_agrees=True)


def _not_executed_closed(facts: Facts, profile: Profile, now: datetime) -> list[Blocker]:
    return not_executed_blockers(facts, profile, now, second_person_agrees=True)


def _not_executed_says(facts: Facts, profile: Profile, now: datetime) -> str:
    basis = (
        "It rests on the lookup that found nothing."
        if profile.has_lookup
        else "It needs the name of who answered at the receiver, and two people."
    )
    return f"Records the finding that nothing happened; nothing is sent under this key. {basis}"


def _supersede_closed(facts: Facts, profile: Profile, now: datetime) -> list[Blocker]:
    if facts.state not in _SUPERSEDABLE:
        return _wrong_state(
            f"Superseding needs an operation that is refused, not_executed or cancelled; "
            f"this one is {facts.state}.",
            "Settle it first; while it may have happened, a new one could be a second effect.",
        )
    return _unanswered(facts)


def _compensate_closed(facts: Facts, profile: Profile, now: datetime) -> list[Blocker]:
    if facts.state is State.CONFIRMED:
        return []
    return _wrong_state(
        f"Compensating needs an effect that happened; this operation is {facts.state}.",
        "Settle it first.",
    )


def _unanswered(facts: Facts) -> list[Blocker]:
    if not facts.open_reviews and not facts.unexplained:
        return []
    questions = ", ".join(sorted(facts.open_reviews)) or "unexplained evidence"
    return [
        Blocker(
            code="review_open",
            sentence=f"A late word about this key is not answered yet: {questions}.",
            remedy="Settle that first; the effect may have happened after all.",
        )
    ]


def _cancel_closed(facts: Facts, profile: Profile, now: datetime) -> list[Blocker]:
    if facts.is_settled:
        return _wrong_state(
            f"The operation is settled already: {facts.state}.", "There is nothing to withdraw."
        )
    if facts.attempts:
        first = facts.attempts[0]
        marked = at_text(first.marked_at, now=now)
        return [
            Blocker(
                code="has_attempt",
                sentence=f"Attempt {first.generation} was marked at {marked} and may have been "
                "sent; what may have happened can't be withdrawn.",
                remedy="Look up, or decide about the unknown outcome.",
            )
        ]
    return []


def _take_closed(facts: Facts, profile: Profile, now: datetime) -> list[Blocker]:
    if facts.is_settled and not facts.open_questions and not facts.unexplained:
        return _wrong_state(
            f"The operation is settled ({facts.state}) and asks nothing of a person.",
            "There is nothing to take.",
        )
    return []


def _take_says(facts: Facts, profile: Profile, now: datetime) -> str:
    if facts.reviewer(now) is not None and facts.review_expires_at is not None:
        until = until_text(facts.review_expires_at, now=now)
        return f"You hold this case until {until}; taking it again gives you more time."
    return "Shows the others that you are on this case. Evidence is taken in all the same."


def _hand_back_closed(facts: Facts, profile: Profile, now: datetime) -> list[Blocker]:
    if facts.reviewer(now) is None:
        return _wrong_state("Nobody holds this case.", "There is nothing to hand back.")
    return []


def _set_aside_closed(facts: Facts, profile: Profile, now: datetime) -> list[Blocker]:
    if facts.unexplained:
        return []
    return _wrong_state("No unexplained evidence is kept here.", "There is nothing to set aside.")


def _close_attempt_closed(facts: Facts, profile: Profile, now: datetime) -> list[Blocker]:
    if not facts.attempts:
        return [_no_attempt("There is nothing to close")]
    if facts.is_settled or all(attempt.is_closed for attempt in facts.attempts):
        return _wrong_state(
            "Every attempt is closed already, or the operation is settled.",
            "There is nothing to close.",
        )
    deadline = facts.send_deadline_at
    if deadline is not None and deadline > now:
        return [
            Blocker(
                code="attempt_open",
                sentence=f"The sender may still act until {until_text(deadline, now=now)}.",
                remedy="Wait until then, then make sure that the process is gone.",
                opens_at=deadline,
            )
        ]
    return []


def _settle_review_closed(facts: Facts, profile: Profile, now: datetime) -> list[Blocker]:
    if facts.open_questions - {Question.UNKNOWN_OUTCOME}:
        return []
    if facts.open_questions:
        return _wrong_state(
            "The open review asks for the outcome itself, and closes when the operation settles.",
            "Look up, attest a receipt, find that it was not executed, or release it.",
        )
    return _wrong_state("No review is open.", "There is nothing to settle.")


def _settle_review_says(facts: Facts, profile: Profile, now: datetime) -> str:
    questions = ", ".join(sorted(facts.open_questions - {Question.UNKNOWN_OUTCOME}))
    return f"Answers the open review ({questions}) and records the finding and its reason."


def _always_open(facts: Facts, profile: Profile, now: datetime) -> list[Blocker]:
    return []


def _saying(sentence: str) -> Saying:
    return lambda facts, profile, now: sentence.format(next_generation=facts.generation + 1)


RULES: dict[ChoiceCode, ChoiceRule] = {
    ChoiceCode.LOOK_UP: ChoiceRule(blockers=_look_up_closed, says=_look_up_says, is_decision=False),
    ChoiceCode.ATTEST: ChoiceRule(
        blockers=_attest_closed,
        says=_saying(
            "Enter the receiver's receipt yourself. It confirms, as attested, only if it matches."
        ),
        needs_second=lambda _, profile: profile.second_person,
        is_proposed=True,
    ),
    ChoiceCode.NOT_EXECUTED: ChoiceRule(
        blockers=_not_executed_closed,
        says=_not_executed_says,
        needs_second=lambda _, profile: not_executed_needs_second(profile),
        is_proposed=True,
    ),
    ChoiceCode.RELEASE: ChoiceRule(
        blockers=_release_closed,
        says=_saying(
            "Allows exactly one more send of the same request under the same key "
            "(generation {next_generation})."
        ),
        needs_second=lambda _, profile: release_needs_second(profile),
        is_proposed=True,
    ),
    ChoiceCode.SUPERSEDE: ChoiceRule(
        blockers=_supersede_closed,
        says=_saying(
            "Starts a new operation linked to this one; it waits for approval before it is sent."
        ),
    ),
    ChoiceCode.COMPENSATE: ChoiceRule(
        blockers=_compensate_closed,
        says=_saying("Starts a new operation that makes up for this one; this one stays as it is."),
    ),
    ChoiceCode.CANCEL: ChoiceRule(
        blockers=_cancel_closed,
        says=_saying("Withdraws the request for good. Nothing was sent and nothing will be."),
    ),
    ChoiceCode.TAKE: ChoiceRule(blockers=_take_closed, says=_take_says),
    ChoiceCode.HAND_BACK: ChoiceRule(
        blockers=_hand_back_closed, says=_saying("Frees this case for the others.")
    ),
    ChoiceCode.NOTE: ChoiceRule(
        blockers=_always_open,
        says=_saying("Adds a note for the others. It changes nothing else."),
        is_decision=False,
    ),
    ChoiceCode.SET_ASIDE: ChoiceRule(
        blockers=_set_aside_closed,
        says=_saying("Records why a piece of evidence is not this operation's effect. It is kept."),
        needs_second=lambda _, profile: profile.second_person,
        is_proposed=True,
    ),
    ChoiceCode.CLOSE_ATTEMPT: ChoiceRule(
        blockers=_close_attempt_closed,
        says=_saying("Records that the sending process is gone; it counts once two people did so."),
        needs_second=lambda _facts, _profile: True,
    ),
    ChoiceCode.SETTLE_REVIEW: ChoiceRule(
        blockers=_settle_review_closed,
        says=_settle_review_says,
        needs_second=lambda facts, profile: (
            profile.second_person and bool(facts.open_questions & _MAY_CORRECT)
        ),
        is_proposed=True,
    ),
}
