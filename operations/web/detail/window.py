"""The crash window: how far the latest send is known to have come, and what that allows."""

from collections.abc import Sequence
from dataclasses import dataclass

from operations.models import Attempt, AttemptEnd
from operations.protocol.states import AttemptOutcome, Channel, Question, ReceiptStatus, State
from operations.protocol.words import at_text, until_text
from operations.queries.dossier import Dossier

YES, UNKNOWN, NO = "yes", "unknown", "no"


@dataclass(frozen=True, slots=True)
class Station:
    """One point on the way of a send; `known` is yes, unknown or no."""

    name: str
    word: str
    known: str


@dataclass(frozen=True, slots=True)
class Window:
    """The stations in order, and one sentence on where the record breaks off."""

    stations: Sequence[Station]
    sentence: str


def window_of(dossier: Dossier) -> Window | None:
    """Where the latest attempt stands; None while nothing was ever sent."""
    if not dossier.attempts:
        return None
    attempt = dossier.attempts[-1]
    end = next((end for end in attempt.ends.all() if not end.is_stale), None)
    stations = [_marked(attempt, dossier), _left(dossier, end), _at_receiver(dossier), _told(end)]
    return Window([*stations, _settled(dossier)], _sentence(dossier, attempt, end))


def _marked(attempt: Attempt, dossier: Dossier) -> Station:
    at = at_text(attempt.marked_at, now=dossier.now)
    return Station("Marked", f"generation {attempt.generation}, {at}", YES)


def _left(dossier: Dossier, end: AttemptEnd | None) -> Station:
    told = any(row.channel != Channel.PERSON for row in dossier.receipts)
    if told or (end and (end.status or end.outcome in _ANSWERED)):
        return Station("Request left", "the receiver knows of it", YES)
    if end and end.outcome == AttemptOutcome.NOT_SENT:
        return Station("Request left", "its sender says it did not", NO)
    if dossier.facts.state is State.CONFIRMED:
        return Station("Request left", "it must have: the effect is on record", YES)
    return Station("Request left", "nobody can say", UNKNOWN)


def _at_receiver(dossier: Dossier) -> Station:
    state, doubts = dossier.facts.state, _doubts(dossier)
    if doubts:
        return Station("Effect", doubts[0], UNKNOWN)
    if state is State.CONFIRMED:
        return Station("Effect", "it happened", YES)
    if state in (State.REFUSED, State.NOT_EXECUTED, State.CANCELLED):
        return Station("Effect", "it did not happen", NO)
    spoken = any(row.status != ReceiptStatus.REFUSED for row in dossier.receipts)
    return Station("Effect", "told of, not proved" if spoken else "not known", UNKNOWN)


def _told(end: AttemptEnd | None) -> Station:
    if end is None:
        return Station("Sender’s report", "none came", NO)
    word = {
        AttemptOutcome.RECEIPT: "a receipt",
        AttemptOutcome.REFUSED: "a refusal",
        AttemptOutcome.UNKNOWN: "it does not know",
        AttemptOutcome.NOT_SENT: "not sent",
    }[AttemptOutcome(end.outcome)]
    return Station("Sender’s report", word, UNKNOWN if end.outcome == "unknown" else YES)


def _settled(dossier: Dossier) -> Station:
    if dossier.facts.is_settled:
        return Station("Settled", dossier.facts.state.replace("_", " "), YES)
    return Station("Settled", "not yet", NO)


def _sentence(dossier: Dossier, attempt: Attempt, end: AttemptEnd | None) -> str:
    """Which window it is, and what the window allows."""
    if dossier.facts.is_settled:
        return _settled_sentence(dossier)
    if dossier.facts.state in (State.READY, State.AWAITING_APPROVAL):
        return (
            f"People released generation {dossier.operation.generation}: exactly one more send "
            "under the same key, judged again when it is marked."
        )
    return f"{_broken_off(dossier, attempt, end)} {_allows(dossier)}"


def _broken_off(dossier: Dossier, attempt: Attempt, end: AttemptEnd | None) -> str:
    if attempt.send_deadline_at > dossier.now:
        until = until_text(attempt.send_deadline_at, now=dossier.now)
        return f"{attempt.sender} may still send or report until {until}."
    if end is None:
        return (
            "The record breaks off after the mark: the process died, or its answer was lost. "
            "The request may have left, and may have taken effect."
        )
    return {
        AttemptOutcome.NOT_SENT: "The sender says that it sent nothing; only the receiver can "
        "bear that out.",
        AttemptOutcome.RECEIPT: "A receipt came back, and it does not prove this effect.",
        AttemptOutcome.REFUSED: "A no came back that is not one of the receiver’s definite ones.",
        AttemptOutcome.UNKNOWN: "The sender called and does not know the outcome: the request may "
        "have left, and may have taken effect.",
    }[AttemptOutcome(end.outcome)]


def _allows(dossier: Dossier) -> str:
    profile = dossier.profile
    if not profile.has_lookup:
        return f"{profile.receiver} can’t be looked up: only a person can ask it."
    ends_at = dossier.facts.quarantine_ends_at(profile)
    if ends_at is not None and ends_at > dossier.now:
        until = until_text(ends_at, now=dossier.now)
        return f"Looking up is safe; until {until} even “not found” proves nothing."
    return "Looking up is safe; sending again needs a release by people."


def _settled_sentence(dossier: Dossier) -> str:
    sends = len(dossier.attempts)
    sent = "One send is on record" if sends == 1 else f"{sends} sends are on record, under one key"
    found = {
        State.CONFIRMED: f"{sent}, and so is the effect.",
        State.REFUSED: f"{sent}, and so is the receiver’s own no.",
        State.NOT_EXECUTED: "It may have left; people found that nothing happened.",
        State.CANCELLED: "Cancelled.",
    }[dossier.facts.state]
    return f"{found} The question above puts that in doubt." if _doubts(dossier) else found


def _doubts(dossier: Dossier) -> list[str]:
    """What open reviews say against the settlement that is on record."""
    if not dossier.facts.is_settled:
        return []
    is_open = dossier.facts.open_questions
    return [word for question, word in _IN_DOUBT.items() if question in is_open]


_IN_DOUBT = {
    Question.CONTRADICTION: "reported, and contradicted",
    Question.LATE_RECEIPT: "a late receipt tells of it",
    Question.DUPLICATE_EFFECT: "it may have happened twice",
}


_ANSWERED = (AttemptOutcome.RECEIPT, AttemptOutcome.REFUSED)
