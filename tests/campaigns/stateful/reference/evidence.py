"""What follows from a receiver's word, in every state (rules 4 to 6)."""

from operations.protocol.states import Channel, Grade
from operations.protocol.states import Question as Q
from operations.protocol.states import ReceiptStatus as R
from operations.protocol.states import State as S
from operations.protocol.states import Verdict as V
from tests.campaigns.stateful.reference.record import (
    OPEN,
    WITHOUT_EFFECT,
    Receipt,
    Record,
    Report,
    Said,
)

OWN = (Channel.LOOKUP, Channel.WEBHOOK)
type Consequence = tuple[V, S | None, Q | None, bool]


def receive(
    record: Record, said: Said, channel: Channel, *, is_stale: bool = False, by_agent: bool = False
) -> V:
    """Keep it, and do what follows. Its verdict."""
    is_taken = record.is_taken(said.effect)
    verdict, event, question, is_open = _consequence(record, said, channel, is_stale, is_taken)
    row = Receipt(
        said=said,
        channel=channel,
        verdict=verdict,
        generation=record.generation,
        is_open=is_open,
        is_stale=is_stale,
        by_agent=by_agent,
        is_taken=is_taken,
    )
    known = _found_before(record, row)
    row = known or row
    if known is None:
        record.receipts.append(row)
    _carry_out(record, row, event, question, is_new=known is None)
    if row.is_explained and known:
        question = None
    if is_stale and not record.place.lookup and record.state is S.SENT_UNKNOWN:
        question = Q.UNKNOWN_OUTCOME
    if question:
        record.ask(question, row)
    if question is Q.LATE_RECEIPT:
        _hold_successors(record, row)
    return verdict


def _carry_out(
    record: Record, row: Receipt, event: S | None, question: Q | None, *, is_new: bool
) -> None:
    bears_out = row.verdict is V.ALREADY_CONFIRMED and row.channel in OWN
    # One that carries less names the effect; it doesn't say what people had to attest.
    bears_out &= record.grade != Grade.ATTESTED or row.said.proves
    if event is S.CONFIRMED:
        grade = Grade.RECEIPT_REPORTED if row.by_agent else Grade.RECEIPT
        record.confirm(row.said.effect, grade)
    elif event is S.REFUSED:
        refuse(record)
    elif bears_out and record.grade != Grade.RECEIPT:
        record.grade = Grade.RECEIPT
        record.grow()
    elif _ends_a_release(record, is_open=row.is_open, question=question):
        record.turn_back()
    elif is_new:
        record.grow()


def refuse(record: Record) -> None:
    """The receiver's no; what spoke of an effect before it is put before a person."""
    record.move(S.REFUSED)
    record.settled()
    spoken_for = [review.about for review in record.reviews.values()]
    kept = [row for row in record.receipts if row.is_open and row not in spoken_for]
    if kept:
        record.ask(Q.LATE_RECEIPT, kept[-1])


def keep_stale_report(record: Record) -> str:
    """An end or a refusal under an older token: it closes a release until it is explained."""
    record.reports.append(Report())
    if record.state in (S.READY, S.AWAITING_APPROVAL):
        record.turn_back()
    else:
        record.grow()
    if not record.place.lookup and record.state is S.SENT_UNKNOWN:
        record.ask(Q.UNKNOWN_OUTCOME)
    return "stale_claim"


def _consequence(
    record: Record, said: Said, channel: Channel, is_stale: bool, is_taken: bool
) -> Consequence:
    if record.state is S.CONFIRMED:
        return _when_confirmed(record, said, channel)
    if record.state in WITHOUT_EFFECT:
        if said.status is R.REFUSED:
            return V.KEPT, None, None, False
        return V.MISMATCH if said.differs else V.LATE, None, Q.LATE_RECEIPT, True
    if not record.attempts:
        return _when_never_sent(said)
    if is_stale:
        return V.KEPT, None, None, True
    if said.differs or is_taken:
        return V.MISMATCH, None, Q.RECEIPT_MISMATCH, True
    return _when_open(record, said, channel)


def _when_open(record: Record, said: Said, channel: Channel) -> Consequence:
    if said.proves:
        return V.CONFIRMED, S.CONFIRMED, None, False
    if said.status is R.REFUSED:
        is_only = record.state is S.SENT_UNKNOWN and len(record.attempts) == 1
        settles = is_only and channel in OWN and said.payload == "same"
        return V.KEPT, S.REFUSED if settles else None, None, False
    return V.NOT_PROOF, None, None, True


def _when_never_sent(said: Said) -> Consequence:
    if said.status is R.REFUSED:
        return V.KEPT, None, None, False
    verdict = V.MISMATCH if said.differs else V.KEPT if said.proves else V.NOT_PROOF
    return verdict, None, Q.RECEIPT_MISMATCH, True


def _when_confirmed(record: Record, said: Said, channel: Channel) -> Consequence:
    if said.effect and said.effect != record.effect:
        # A receiver that names another effect than its agent reported denies that report.
        denies = record.grade == Grade.RECEIPT_REPORTED and channel in OWN
        if said.status is R.REFUSED:
            return V.KEPT, None, None, False
        if said.differs:
            return V.MISMATCH, None, Q.CONTRADICTION if denies else Q.RECEIPT_MISMATCH, True
        verdict = V.LATE if said.proves else V.NOT_PROOF
        return verdict, None, Q.CONTRADICTION if denies else Q.DUPLICATE_EFFECT, True
    if said.differs:
        return V.MISMATCH, None, Q.CONTRADICTION, True
    if said.effect and said.status is R.CONFIRMED:
        return V.ALREADY_CONFIRMED, None, None, False
    if said.status is R.REFUSED:
        return V.KEPT, None, Q.CONTRADICTION, True
    return V.NOT_PROOF, None, None, False


def _ends_a_release(record: Record, *, is_open: bool, question: Q | None) -> bool:
    """A word of an effect that nobody is asked about: one more send is out of the question."""
    return is_open and not question and record.state in (S.READY, S.AWAITING_APPROVAL)


def _found_before(record: Record, row: Receipt) -> Receipt | None:
    """A lookup that finds the very same record again adds nothing."""
    if row.channel is not Channel.LOOKUP:
        return None
    same = (row.said, row.verdict, row.generation)
    for kept in record.receipts:
        if kept.channel is row.channel and (kept.said, kept.verdict, kept.generation) == same:
            return kept
    return None


def _hold_successors(record: Record, row: Receipt) -> None:
    for follower in record.book.records.values():
        if follower.supersedes is record and follower.state in OPEN:
            follower.ask(Q.LATE_RECEIPT, row, of_other=True)
