"""Registering, which observes when it is there already (rule 12), and what links two operations."""

from operations.protocol.states import ApprovalStatus as A
from operations.protocol.states import Question as Q
from operations.protocol.states import State as S
from tests.campaigns.stateful.reference.record import OPEN, Record
from tests.campaigns.stateful.reference.rule3 import supersede_reasons


def register(record: Record, *, asked_by: str = "") -> str:
    """A new operation, whose key was free."""
    book, old = record.book, record.supersedes
    if old and (supersede_reasons(old) or successor(old)):
        return "choice_closed"
    if record.compensates and record.compensates.state is not S.CONFIRMED:
        return "choice_closed"
    is_held = record.needed or old or record.compensates or twin(record)
    record.state = S.AWAITING_APPROVAL if is_held else S.READY
    if is_held:
        record.ask_people(asker=asked_by)
    kept = book.unmatched.pop((record.place.name, record.key), [])
    if kept:
        record.receipts += kept
        record.ask(Q.RECEIPT_MISMATCH, kept[0])
    record.registered = book.tick()
    book.records[record.key] = record
    return ""


def successor(old: Record) -> Record | None:
    """The one that may still have, or had, the effect in its place; open on paper counts too."""
    for each in old.book.records.values():
        is_alive = each.is_unwritten or each.state in (*OPEN, S.CONFIRMED)
        if each.supersedes is old and is_alive:
            return each
    return None


def twin(record: Record) -> Record | None:
    """The same request under another key, open, confirmed or refused within 30 days."""
    if not record.twin_of:
        return None
    same = (record.kind, record.payload, record.twin_of)
    for each in record.book.records.values():
        is_same = (each.kind, each.payload, each.twin_of) == same
        if is_same and each is not record.supersedes and _counts(each):
            return each
    return None


def _counts(other: Record) -> bool:
    """Open, even if on paper only, or lately confirmed or refused: in doubt people are asked."""
    is_recent = other.book.now - other.since <= 30 * 1440
    is_open = other.state in OPEN or other.is_unwritten
    return is_open or (other.state in (S.CONFIRMED, S.REFUSED) and is_recent)


def register_again(record: Record, *, agent: str, is_same: bool) -> str:
    if agent != record.agent:
        return "key_taken"
    if not is_same:
        return "key_reused"
    if record.request and record.request.status is A.OPEN:
        record.request.asked += 1
    return ""
