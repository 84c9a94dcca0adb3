"""What the sweeps write down, and what the dispatcher takes."""

from datetime import timedelta
from typing import Any

from operations.protocol.states import ApprovalStatus as A
from operations.protocol.states import Question as Q
from operations.protocol.states import State as S
from tests.campaigns.stateful.reference.book import Book
from tests.campaigns.stateful.reference.record import Record


def expire(book: Book) -> None:
    """Proposals that are over; a request that is over read so before."""
    for record in book.records.values():
        for proposal in record.proposals:
            if proposal.status is A.OPEN and proposal.until <= book.now:
                proposal.status = A.EXPIRED
                record.grow()


def stall(book: Book, *, overdue: dict[str, bool]) -> None:
    """What waits too long is shown to a person; what waits for a halt, or for a person, is not."""
    for record in book.records.values():
        if record.reviews or record.claim:
            continue
        is_halted = record.place.name in book.halted
        if record.state is S.READY and not is_halted:
            is_tried = record.unmarked >= record.place.claims
            if is_tried or (record.by_console and overdue[record.key]):
                record.ask(Q.STALLED)
        elif record.state is S.SENT_UNKNOWN and overdue[record.key]:
            record.ask(Q.STALLED)


def is_overdue(seen: dict[str, Any], *, limit_minutes: int = 10) -> bool:
    """By the schedule that the product shows: when to look again is its own affair."""
    due_at = seen["next_try_at"] or seen["updated_at"]
    return bool(seen["now"] - due_at >= timedelta(minutes=limit_minutes))


def dispatcher_claims(record: Record) -> bool:
    """Whether the dispatcher takes one that is due; one that was tried too often goes to people."""
    if record.claim or record.place.name in record.book.halted:
        return False
    if record.unmarked >= record.place.claims:
        record.ask(Q.STALLED)
        return False
    return not record.questions
