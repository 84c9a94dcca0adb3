"""What a lookup means for an operation: whom to ask, and how to go on looking (rule 5)."""

from dataclasses import dataclass
from datetime import datetime

from operations.protocol.profiles import Profile, quarantine_ends_at
from operations.protocol.states import Grade, LookupResult, Question, State
from operations.protocol.words import at_text
from reconciliation.protocol.schedule import Pace

# Once one of these is asked, the next look can wait: a person has what there is to know.
_ASKED_ABOUT_UNKNOWN = frozenset({Question.UNKNOWN_OUTCOME, Question.RECEIPT_MISMATCH})
# Once one of these is asked, looking on its own adds nothing.
_ASKED_ABOUT_CONFIRMED = frozenset(
    {Question.CONTRADICTION, Question.DUPLICATE_EFFECT, Question.RECEIPT_MISMATCH}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """One lookup beside the record as it is after whatever it found was recorded.

    `last_call_at`: the last instant at which a request can have left (decision 0009).
    `could_not_ask_since`: when the unbroken run of could_not_ask began, this one included.
    """

    state: State
    grade: Grade | None
    state_since: datetime
    last_call_at: datetime
    result: LookupResult
    asked_at: datetime
    could_not_ask_since: datetime | None
    open_questions: frozenset[Question]
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """The pace from here on, and the question to open, with its reason, if there is one."""

    pace: Pace
    question: Question | None = None
    reason: str = ""


def conclude(looked: Looked, profile: Profile) -> Conclusion:
    """The conclusion from one lookup. It never leads back to a send (rule 2)."""
    if looked.state == State.CONFIRMED:
        return _about_confirmed(looked, profile)
    if looked.state != State.SENT_UNKNOWN:
        return Conclusion(pace=Pace.STOP)
    pace = Pace.SLOW if looked.open_questions & _ASKED_ABOUT_UNKNOWN else Pace.GROWING
    if looked.result == LookupResult.COULD_NOT_ASK:
        return _not_asked(looked, profile, pace)
    if looked.result == LookupResult.FOUND:
        return _found_unsettled(looked, profile, pace)
    ends_at = quarantine_ends_at(profile, looked.last_call_at)
    if looked.asked_at < ends_at:
        return Conclusion(pace=pace)
    return Conclusion(
        pace=Pace.SLOW,
        question=Question.UNKNOWN_OUTCOME,
        reason=(
            f"{profile.receiver} had nothing under this key at {at_text(looked.asked_at)}, "
            f"after the quarantine that ended at {at_text(ends_at)}."
        ),
    )


def conclude_without_lookup(
    profile: Profile, *, last_call_at: datetime, now: datetime
) -> Conclusion | None:
    """For a receiver that can't be looked up: a person is asked once the quarantine is over.

    None while an answer or a webhook may still come by itself.
    """
    if now < quarantine_ends_at(profile, last_call_at):
        return None
    return Conclusion(
        pace=Pace.STOP,
        question=Question.UNKNOWN_OUTCOME,
        reason=f"{profile.receiver} can't be looked up, and no receipt came.",
    )


def _found_unsettled(looked: Looked, profile: Profile, pace: Pace) -> Conclusion:
    """The receiver has a record that settles nothing: pending, or one that differs (rule 5)."""
    waited_seconds = (looked.asked_at - looked.last_call_at).total_seconds()
    if pace is Pace.SLOW or waited_seconds < profile.lookup_limit_seconds:
        return Conclusion(pace=pace)
    return Conclusion(
        pace=Pace.SLOW,
        question=Question.UNKNOWN_OUTCOME,
        reason=(
            f"{profile.receiver} has a record under this key and has not called it final "
            f"within {profile.lookup_limit_seconds} s."
        ),
    )


def _not_asked(looked: Looked, profile: Profile, pace: Pace) -> Conclusion:
    since = looked.could_not_ask_since or looked.asked_at
    if (looked.asked_at - since).total_seconds() < profile.lookup_limit_seconds:
        return Conclusion(pace=pace)
    return Conclusion(
        pace=Pace.SLOW,
        question=Question.STALLED,
        reason=(
            f"{profile.receiver} could not be asked since {at_text(since)}, longer than the limit "
            f"of {profile.lookup_limit_seconds} s: {looked.detail}"
        ),
    )


def _about_confirmed(looked: Looked, profile: Profile) -> Conclusion:
    """A confirmation that only an agent reported is to be borne out by the receiver (section 2)."""
    is_asked = looked.open_questions & _ASKED_ABOUT_CONFIRMED
    if looked.grade != Grade.RECEIPT_REPORTED or is_asked:
        return Conclusion(pace=Pace.STOP)
    if looked.result == LookupResult.COULD_NOT_ASK:
        return _not_asked(looked, profile, Pace.GROWING)
    if looked.result == LookupResult.FOUND:
        return _still_pending(looked, profile)
    if (looked.asked_at - looked.state_since).total_seconds() < profile.lookup_lag_seconds:
        return Conclusion(pace=Pace.GROWING)  # somebody asked early; it may not show yet
    return Conclusion(
        pace=Pace.STOP,
        question=Question.CONTRADICTION,
        reason=(
            f"An agent reported a receipt, but {profile.receiver} had nothing under this key "
            f"at {at_text(looked.asked_at)}."
        ),
    )


def _still_pending(looked: Looked, profile: Profile) -> Conclusion:
    """Found, the same effect, and yet not corroborated: the receiver calls it unfinished."""
    waited_seconds = (looked.asked_at - looked.state_since).total_seconds()
    if waited_seconds < profile.lookup_limit_seconds:
        return Conclusion(pace=Pace.GROWING)
    return Conclusion(
        pace=Pace.STOP,
        question=Question.CONTRADICTION,
        reason=(
            f"An agent reported a confirmed receipt, but {profile.receiver} has not confirmed it "
            f"within {profile.lookup_limit_seconds} s."
        ),
    )
