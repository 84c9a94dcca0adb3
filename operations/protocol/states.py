"""The words an operation is described with. An unknown word is an error, never a default."""

from enum import StrEnum


class State(StrEnum):
    """Where an operation stands (design section 2)."""

    AWAITING_APPROVAL = "awaiting_approval"
    READY = "ready"
    SENT_UNKNOWN = "sent_unknown"
    CONFIRMED = "confirmed"
    REFUSED = "refused"
    NOT_EXECUTED = "not_executed"
    CANCELLED = "cancelled"


OPEN_STATES = frozenset({State.AWAITING_APPROVAL, State.READY, State.SENT_UNKNOWN})
SETTLED_STATES = frozenset(State) - OPEN_STATES


class Cause(StrEnum):
    """Why an operation was cancelled."""

    WITHDRAWN = "withdrawn"
    REJECTED = "rejected"
    EXPIRED = "expired"


class Grade(StrEnum):
    """How a confirmation is known. The three never look alike."""

    RECEIPT = "receipt"
    RECEIPT_REPORTED = "receipt, reported"
    ATTESTED = "attested"


class Executor(StrEnum):
    """Who sends: the agent itself, or our Celery dispatcher."""

    AGENT = "agent"
    CONSOLE = "console"


class Slot(StrEnum):
    """The two places in which a claim can be held."""

    MACHINE = "machine"
    REVIEW = "review"


class Purpose(StrEnum):
    """What a claim is for."""

    DISPATCH = "dispatch"
    RECONCILE = "reconcile"
    REVIEW = "review"


class Channel(StrEnum):
    """How a receipt reached us; the grade of a confirmation follows it."""

    RESPONSE = "response"
    LOOKUP = "lookup"
    WEBHOOK = "webhook"
    STATEMENT = "statement"
    PERSON = "person"


class ReceiptStatus(StrEnum):
    """What a receipt says of the effect."""

    CONFIRMED = "confirmed"
    PENDING = "pending"
    REFUSED = "refused"


class Verdict(StrEnum):
    """What a receipt was found to be worth (design section 8)."""

    CONFIRMED = "confirmed"
    ALREADY_CONFIRMED = "already_confirmed"
    NOT_PROOF = "not_proof"
    MISMATCH = "mismatch"
    LATE = "late"
    KEPT = "kept"


class LookupResult(StrEnum):
    """The three answers a lookup can have; they are counted apart (rule 5)."""

    FOUND = "found"
    NOT_FOUND = "not_found"
    COULD_NOT_ASK = "could_not_ask"


class Question(StrEnum):
    """What a review asks a person; at most one open per operation and question."""

    UNKNOWN_OUTCOME = "unknown_outcome"
    RECEIPT_MISMATCH = "receipt_mismatch"
    LATE_RECEIPT = "late_receipt"
    CONTRADICTION = "contradiction"
    DUPLICATE_EFFECT = "duplicate_effect"
    DUPLICATE_ANSWER = "duplicate_answer"
    STALLED = "stalled"


class Finding(StrEnum):
    """How a review was closed (design section 6, exits of reviews)."""

    SETTLED = "settled"
    NOT_OURS = "not_ours"
    CONFIRMED_ATTESTED = "confirmed_attested"
    CORRECTED = "corrected"
    STANDS = "stands"
    REVERSED = "reversed"
    COMPENSATE = "compensate"
    RELEASED = "released"
    RESUMED = "resumed"


class Queue(StrEnum):
    """The one place where an operation is visible (rule 15)."""

    UNRESOLVED = "unresolved"
    STALLED = "stalled"
    WAITING_FOR_APPROVAL = "waiting_for_approval"
    RUNNING = "running"
    SCHEDULED = "scheduled"
    DUE = "due"
    DONE = "done"


class AttemptOutcome(StrEnum):
    """How the sender says its attempt ended."""

    RECEIPT = "receipt"
    REFUSED = "refused"
    UNKNOWN = "unknown"
    NOT_SENT = "not_sent"


class ClaimEnd(StrEnum):
    """How a claim ended."""

    FINISHED = "finished"
    GIVEN_BACK = "given_back"
    EXPIRED = "expired"
    VOIDED = "voided"


class ApprovalStatus(StrEnum):
    """Where a request for a yes stands."""

    OPEN = "open"
    GRANTED = "granted"
    REJECTED = "rejected"
    EXPIRED = "expired"
    VOIDED = "voided"
    WITHDRAWN = "withdrawn"


class ApprovalSubject(StrEnum):
    """What an approval is for."""

    OPERATION = "operation"
    POSSIBLE_DUPLICATE = "possible_duplicate"
    SUPERSESSION = "supersession"
    PROPOSAL = "proposal"


class ChoiceCode(StrEnum):
    """What a person may do with an operation."""

    LOOK_UP = "look_up"
    ATTEST = "attest"
    NOT_EXECUTED = "not_executed"
    RELEASE = "release"
    SUPERSEDE = "supersede"
    COMPENSATE = "compensate"
    CANCEL = "cancel"
    TAKE = "take"
    HAND_BACK = "hand_back"
    NOTE = "note"
    SET_ASIDE = "set_aside"
    CLOSE_ATTEMPT = "close_attempt"
    SETTLE_REVIEW = "settle_review"


class NextActionCode(StrEnum):
    """What an agent is told to do next (design section 8)."""

    CLAIM = "claim"
    WAIT_FOR_APPROVAL = "wait_for_approval"
    WAIT_FOR_SETTLEMENT = "wait_for_settlement"
    ASK_PERSON = "ask_person"
    SUBMIT_NEW = "submit_new"
    DONE = "done"
