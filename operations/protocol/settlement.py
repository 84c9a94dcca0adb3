"""What follows from a receipt in each state: one pure decision (rule 4, "in every state")."""

from dataclasses import dataclass

from operations.protocol.receipts import Judged
from operations.protocol.states import Channel, Question, ReceiptStatus, State, Verdict
from operations.protocol.transitions import Event

# These carry the receiver's own authority; a response counts only under the current token.
OWN_AUTHORITY = frozenset({Channel.LOOKUP, Channel.WEBHOOK, Channel.STATEMENT})


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One receipt beside the record it is about.

    `is_same_effect` is None when either side has no effect id. `is_effect_taken`: that effect id
    confirmed another operation. `is_stale`: reported under a token that is not current.
    `is_only_reported`: the confirmation on record is an agent's own word. `is_older`: an event
    that the receiver dates before the word which it would undo.
    """

    state: State
    has_attempt: bool
    is_only_attempt: bool
    channel: Channel
    judged: Judged
    status: ReceiptStatus
    has_differences: bool
    is_same_effect: bool | None
    is_effect_taken: bool = False
    is_stale: bool = False
    is_only_reported: bool = False
    is_older: bool = False


@dataclass(frozen=True, slots=True)
class Consequence:
    """What to write. `needs_explanation` closes release and not_executed until someone explains."""

    verdict: Verdict
    event: Event | None = None
    question: Question | None = None
    needs_explanation: bool = False


def consequence(evidence: Evidence) -> Consequence:
    """The verdict on a receipt, the event it causes and the question it opens."""
    if evidence.state == State.CONFIRMED:
        return _when_confirmed(evidence)
    if evidence.state in (State.REFUSED, State.NOT_EXECUTED, State.CANCELLED):
        return _when_settled_without_effect(evidence)
    if not evidence.has_attempt:
        return _when_never_sent(evidence)
    return _when_open(evidence)


def _when_open(evidence: Evidence) -> Consequence:
    if evidence.is_stale:
        return Consequence(Verdict.KEPT, needs_explanation=True)
    if evidence.judged == Judged.MISMATCH or evidence.is_effect_taken:
        return Consequence(
            Verdict.MISMATCH, question=Question.RECEIPT_MISMATCH, needs_explanation=True
        )
    if evidence.judged == Judged.MATCH:
        return Consequence(Verdict.CONFIRMED, event=Event.CONFIRM)
    if evidence.status == ReceiptStatus.REFUSED:
        return Consequence(Verdict.KEPT, event=Event.REFUSE if _may_refuse(evidence) else None)
    return Consequence(Verdict.NOT_PROOF, needs_explanation=True)


def _may_refuse(evidence: Evidence) -> bool:
    """A receiver's own record of its no settles the only attempt there is (rule 6)."""
    return (
        evidence.state == State.SENT_UNKNOWN
        and evidence.is_only_attempt
        and evidence.channel in OWN_AUTHORITY
        and not evidence.has_differences
        and not evidence.is_older
    )


def _when_never_sent(evidence: Evidence) -> Consequence:
    if evidence.status == ReceiptStatus.REFUSED:
        return Consequence(Verdict.KEPT)
    verdict = {
        Judged.MATCH: Verdict.KEPT,
        Judged.MISMATCH: Verdict.MISMATCH,
        Judged.NOT_PROOF: Verdict.NOT_PROOF,
    }[evidence.judged]
    return Consequence(verdict, question=Question.RECEIPT_MISMATCH, needs_explanation=True)


def _when_settled_without_effect(evidence: Evidence) -> Consequence:
    if evidence.status == ReceiptStatus.REFUSED or _was_pending_before_the_no(evidence):
        return Consequence(Verdict.KEPT)
    verdict = Verdict.MISMATCH if evidence.judged == Judged.MISMATCH else Verdict.LATE
    return Consequence(verdict, question=Question.LATE_RECEIPT, needs_explanation=True)


def _was_pending_before_the_no(evidence: Evidence) -> bool:
    """Its no came later, and was heard first. An older yes still speaks of an effect."""
    is_pending = evidence.status == ReceiptStatus.PENDING and evidence.judged == Judged.NOT_PROOF
    return evidence.state == State.REFUSED and is_pending and evidence.is_older


def _when_confirmed(evidence: Evidence) -> Consequence:
    if evidence.is_same_effect is False:
        return _other_effect(evidence)
    if evidence.judged == Judged.MATCH or _names_the_effect(evidence):
        return Consequence(Verdict.ALREADY_CONFIRMED)
    if evidence.judged == Judged.MISMATCH:
        return Consequence(
            Verdict.MISMATCH, question=Question.CONTRADICTION, needs_explanation=True
        )
    if evidence.status == ReceiptStatus.REFUSED and evidence.is_older:
        return Consequence(Verdict.KEPT)  # the confirmation is the receiver's later word
    if evidence.status == ReceiptStatus.REFUSED:
        return Consequence(Verdict.KEPT, question=Question.CONTRADICTION, needs_explanation=True)
    return Consequence(Verdict.NOT_PROOF)  # an older word of the same effect, come late


def _names_the_effect(evidence: Evidence) -> bool:
    """A source that carries fewer fields corroborates, and never confirms (section 5)."""
    is_lesser = evidence.judged == Judged.NOT_PROOF and evidence.status == ReceiptStatus.CONFIRMED
    return is_lesser and evidence.is_same_effect is True


def _other_effect(evidence: Evidence) -> Consequence:
    if evidence.status == ReceiptStatus.REFUSED:
        return Consequence(Verdict.KEPT)
    # The receiver names another effect than an agent did: that denies what was reported.
    denies = evidence.is_only_reported and evidence.channel in OWN_AUTHORITY
    if evidence.judged == Judged.MISMATCH:
        question = Question.CONTRADICTION if denies else Question.RECEIPT_MISMATCH
        return Consequence(Verdict.MISMATCH, question=question, needs_explanation=True)
    verdict = Verdict.LATE if evidence.judged == Judged.MATCH else Verdict.NOT_PROOF
    question = Question.CONTRADICTION if denies else Question.DUPLICATE_EFFECT
    return Consequence(verdict, question=question, needs_explanation=True)
