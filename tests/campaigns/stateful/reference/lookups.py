"""What a lookup means for the record (rule 5)."""

from operations.protocol.states import Channel, Grade
from operations.protocol.states import Question as Q
from operations.protocol.states import State as S
from tests.campaigns.stateful.reference.agents import take
from tests.campaigns.stateful.reference.evidence import receive
from tests.campaigns.stateful.reference.record import Record, Said


def may_look_up(record: Record) -> bool:
    is_open = record.state in (S.SENT_UNKNOWN, S.CONFIRMED) and record.place.lookup
    return is_open and record.claim is None and record.deadline <= record.book.now


def looked_up(record: Record, *, answer: str, said: Said | None) -> None:
    """A lookup under a reconcile claim. `answer` is found, not_found or could_not_ask."""
    now = record.book.now
    take(record, agent="reconciler", token=0, minutes=1)
    record.void_claim()
    if said is not None:
        receive(record, said, Channel.LOOKUP)
    if answer == "could_not_ask":
        since = now if record.unasked_since is None else record.unasked_since
    else:
        since = None
        record.answer = (answer, now)
    record.unasked_since = since
    if record.state is S.SENT_UNKNOWN:
        _ask_about_unknown(record, answer)
    elif record.state is S.CONFIRMED and record.grade == Grade.RECEIPT_REPORTED:
        _ask_about_reported(record, answer)


def _ask_about_unknown(record: Record, answer: str) -> None:
    now = record.book.now
    is_asked = bool({Q.UNKNOWN_OUTCOME, Q.RECEIPT_MISMATCH} & set(record.reviews))
    if answer == "could_not_ask":
        _stall_if_unasked(record)
    elif answer == "not_found":
        if now >= record.quarantine:
            record.ask(Q.UNKNOWN_OUTCOME)
    elif not is_asked and now - record.last_call >= record.place.limit:
        record.ask(Q.UNKNOWN_OUTCOME, record.receipts[-1])


def _ask_about_reported(record: Record, answer: str) -> None:
    """What only an agent said is to be borne out by the receiver."""
    asked = {Q.CONTRADICTION, Q.DUPLICATE_EFFECT, Q.RECEIPT_MISMATCH} & set(record.reviews)
    waited = record.book.now - record.since
    if asked:
        return
    if answer == "could_not_ask":
        _stall_if_unasked(record)
    elif waited >= (record.place.lag if answer == "not_found" else record.place.limit):
        record.ask(Q.CONTRADICTION)


def _stall_if_unasked(record: Record) -> None:
    if record.book.now - (record.unasked_since or 0) >= record.place.limit:
        record.ask(Q.STALLED)


def ask_a_person(record: Record) -> None:
    """The lookup that a receiver without one can't have: people are asked after the quarantine."""
    if record.state is S.SENT_UNKNOWN and record.book.now >= record.quarantine:
        record.ask(Q.UNKNOWN_OUTCOME)
