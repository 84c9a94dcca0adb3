"""One look for each word of the record: what it is called, and its icon. Colour is in states.css.

The maps are complete over their enums (a test compares them); a word that is in none of them is
an error, never a neutral badge.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from operations.protocol.states import (
    ApprovalStatus,
    ChoiceCode,
    Grade,
    LookupResult,
    Question,
    Queue,
    State,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class Look:
    """The word a person reads and the name of a symbol in icons.svg."""

    word: str
    icon: str


STATES: Mapping[State, Look] = {
    State.AWAITING_APPROVAL: Look("awaiting approval", "hourglass"),
    State.READY: Look("ready", "ready"),
    State.SENT_UNKNOWN: Look("sent, unknown", "unknown"),
    State.CONFIRMED: Look("confirmed", "confirmed"),
    State.REFUSED: Look("refused", "refused"),
    State.NOT_EXECUTED: Look("not executed", "not-executed"),
    State.CANCELLED: Look("cancelled", "cancelled"),
}

# A confirmation is never shown without how it is known: word, icon and shape all differ.
GRADES: Mapping[Grade, Look] = {
    Grade.RECEIPT: Look("confirmed by receipt", "confirmed"),
    Grade.RECEIPT_REPORTED: Look("receipt, reported", "reported"),
    Grade.ATTESTED: Look("attested", "attested"),
}

QUEUES: Mapping[Queue, Look] = {
    Queue.UNRESOLVED: Look("unresolved", "question"),
    Queue.STALLED: Look("stalled", "stalled"),
    Queue.WAITING_FOR_APPROVAL: Look("waiting for approval", "hourglass"),
    Queue.RUNNING: Look("running", "running"),
    Queue.SCHEDULED: Look("scheduled", "scheduled"),
    Queue.DUE: Look("due", "due"),
    Queue.DONE: Look("done", "done"),
}

QUESTIONS: Mapping[Question, Look] = {
    Question.UNKNOWN_OUTCOME: Look("Unknown outcome", "unknown"),
    Question.RECEIPT_MISMATCH: Look("Receipt mismatch", "mismatch"),
    Question.LATE_RECEIPT: Look("Late receipt", "late"),
    Question.CONTRADICTION: Look("Contradiction", "contradiction"),
    Question.DUPLICATE_EFFECT: Look("Duplicate effect", "duplicate"),
    Question.DUPLICATE_ANSWER: Look("Duplicate answer", "echo"),
    Question.STALLED: Look("Stalled", "stalled"),
}

# Who says so decides how a confirming receipt looks: the receiver, a worker, or a person.
CONFIRMING: Mapping[Grade, Look] = {
    Grade.RECEIPT: Look("confirms", "confirmed"),
    Grade.RECEIPT_REPORTED: Look("confirms, reported", "reported"),
    Grade.ATTESTED: Look("attests", "attested"),
}

VERDICTS: Mapping[Verdict, Look] = {
    Verdict.NOT_PROOF: Look("no proof", "unknown"),
    Verdict.MISMATCH: Look("mismatch", "mismatch"),
    Verdict.LATE: Look("late", "late"),
    Verdict.KEPT: Look("kept", "case"),
}

LOOKUP_RESULTS: Mapping[LookupResult, Look] = {
    LookupResult.FOUND: Look("found", "check"),
    LookupResult.NOT_FOUND: Look("not found", "minus"),
    LookupResult.COULD_NOT_ASK: Look("could not ask", "warning"),
}

APPROVAL_STATUSES: Mapping[ApprovalStatus, Look] = {
    ApprovalStatus.OPEN: Look("open", "hourglass"),
    ApprovalStatus.GRANTED: Look("granted", "check"),
    ApprovalStatus.REJECTED: Look("rejected", "refused"),
    ApprovalStatus.EXPIRED: Look("expired", "clock"),
    ApprovalStatus.VOIDED: Look("voided", "cancelled"),
    ApprovalStatus.WITHDRAWN: Look("withdrawn", "handback"),
}

# The verb on the button says what will happen.
CHOICES: Mapping[ChoiceCode, Look] = {
    ChoiceCode.LOOK_UP: Look("Look up now", "lookup"),
    ChoiceCode.ATTEST: Look("Attest a receipt", "attested"),
    ChoiceCode.NOT_EXECUTED: Look("Record as not executed", "not-executed"),
    ChoiceCode.RELEASE: Look("Release for one more send", "release"),
    ChoiceCode.SUPERSEDE: Look("Supersede with a new operation", "supersede"),
    ChoiceCode.COMPENSATE: Look("Compensate with a new operation", "compensate"),
    ChoiceCode.CANCEL: Look("Cancel, nothing was sent", "cancelled"),
    ChoiceCode.TAKE: Look("Take this case", "case"),
    ChoiceCode.HAND_BACK: Look("Hand the case back", "handback"),
    ChoiceCode.NOTE: Look("Add a note", "note"),
    ChoiceCode.SET_ASIDE: Look("Set evidence aside", "flag"),
    ChoiceCode.CLOSE_ATTEMPT: Look("Record that the sender is gone", "halt"),
    ChoiceCode.SETTLE_REVIEW: Look("Settle the review", "verified"),
}


def look_of[Word: StrEnum](looks: Mapping[Word, Look], enumeration: type[Word], value: str) -> Look:
    """The look of `value`. Raises ValueError when the enumeration has no such word."""
    return looks[enumeration(value)]


def verdict_look(verdict: str, voice: str) -> Look:
    """The look of a verdict; one that confirms looks like the grade its voice can give."""
    if Verdict(verdict) in {Verdict.CONFIRMED, Verdict.ALREADY_CONFIRMED}:
        return CONFIRMING[Grade(voice)]
    return VERDICTS[Verdict(verdict)]


def state_look(state: str, grade: str | None) -> Look:
    """The look of a state; a confirmed one is looked up by its grade, which it must have."""
    if State(state) is State.CONFIRMED:
        return GRADES[Grade(grade or "")]
    return STATES[State(state)]
