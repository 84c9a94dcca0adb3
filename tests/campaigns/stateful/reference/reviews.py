"""How a review is closed, and what that does (section 6)."""

from operations.protocol.states import ChoiceCode as C
from operations.protocol.states import Finding, Grade
from operations.protocol.states import Question as Q
from operations.protocol.states import ReceiptStatus as R
from operations.protocol.states import State as S
from operations.protocol.states import Verdict as V
from tests.campaigns.stateful.reference.people import (
    SETTLES,
    By,
    begin,
    explain,
    leave,
    perform,
    set_aside,
    why_not_set_aside,
)
from tests.campaigns.stateful.reference.record import OPEN, Receipt, Record, Report
from tests.campaigns.stateful.reference.registering import register


def exits(record: Record, question: Q) -> dict[Finding, bool]:
    """The ways to close a review, and whether each takes two people."""
    f, review = Finding, record.reviews[question]
    if review.is_about_other:
        return {f.NOT_OURS: True, f.STANDS: True}
    if question is Q.UNKNOWN_OUTCOME:
        return {}
    if question is Q.RECEIPT_MISMATCH:
        if record.state is S.CONFIRMED:
            return {f.NOT_OURS: False, f.COMPENSATE: False}
        may_confirm = record.attempts or record.state not in OPEN
        return {f.NOT_OURS: False} | ({f.CONFIRMED_ATTESTED: True} if may_confirm else {})
    if question is Q.LATE_RECEIPT:
        if record.state is S.CONFIRMED:
            return {f.NOT_OURS: False, f.STANDS: False, f.COMPENSATE: False}
        return {f.CORRECTED: True, f.NOT_OURS: False}
    if question is Q.DUPLICATE_ANSWER and record.state not in OPEN:
        return {f.STANDS: False}
    return {
        Q.CONTRADICTION: {f.STANDS: False, f.REVERSED: False, f.COMPENSATE: False},
        Q.DUPLICATE_EFFECT: {f.COMPENSATE: False, f.NOT_OURS: False},
    }.get(question, {f.RESUMED: False, f.STANDS: False})


def propose_to_set_aside(record: Record, by: By, row: Receipt | Report) -> str:
    code = begin(record, by, SETTLES, C.SET_ASIDE) or why_not_set_aside(record, row)
    if code:
        return code
    return perform(record, by, lambda _: set_aside(record, row), needs_second=record.place.second)


def propose_to_settle(record: Record, by: By, question: Q, finding: Finding) -> str:
    code = begin(record, by, SETTLES)
    if code:
        return code
    ways = exits(record, question)
    if finding not in ways:
        return "invalid_payload" if ways else "choice_closed"
    code = begin(record, by, SETTLES, C.SETTLE_REVIEW)
    if code:
        return code
    needs_second = ways[finding] and record.place.second
    return perform(
        record, by, lambda _: settle(record, question, finding), needs_second=needs_second
    )


def settle(record: Record, question: Q, finding: Finding) -> str:
    """Do what the finding says, as things stand now."""
    if question not in record.reviews:
        return "not_found"
    review, ways = record.reviews[question], exits(record, question)
    if finding not in ways:
        return "invalid_payload" if ways else "choice_closed"
    if finding in (Finding.CONFIRMED_ATTESTED, Finding.CORRECTED):
        return _confirm(record, question, finding)
    if finding is Finding.COMPENSATE and not made_up_for(record, since=review.since):
        return "choice_closed"
    close_review(record, question, reverses=finding is Finding.REVERSED)
    return ""


def _confirm(record: Record, question: Q, finding: Finding) -> str:
    row = record.reviews[question].about
    if row is None:
        return "not_found"
    is_proof = row.said.status is R.CONFIRMED and row.said.effect
    if not is_proof or record.is_taken(row.said.effect):
        return "choice_closed"
    is_known_by_people = row.said.differs or row.said.payload == "none" or row.is_taken
    if finding is Finding.CONFIRMED_ATTESTED or is_known_by_people:
        grade = Grade.ATTESTED
    else:
        grade = Grade.RECEIPT_REPORTED if row.by_agent else Grade.RECEIPT
    del record.reviews[question]
    explain(row)
    record.confirm(row.said.effect, grade)
    return ""


def made_up_for(record: Record, *, since: int) -> bool:
    return any(
        each.compensates is record and each.registered >= since
        for each in record.book.records.values()
    )


def close_review(record: Record, question: Q, *, reverses: bool = False) -> None:
    """Close it, and explain what it is about: the evidence on record, but for another's own."""
    review = record.reviews.pop(question)
    record.is_reversed |= reverses
    if question is Q.STALLED:
        record.unmarked, record.unasked_since = 0, None
    if question not in (Q.STALLED, Q.DUPLICATE_ANSWER) and not review.is_about_other:
        spoken_for = [each.about for each in record.reviews.values()]
        for row in record.receipts:
            is_pending = question is Q.RECEIPT_MISMATCH and row.verdict is V.NOT_PROOF
            is_another = (
                (row.is_stale and question is not Q.LATE_RECEIPT)
                or any(row is each for each in spoken_for)
                or (is_pending and record.attempts)
            )
            if row.is_open and not is_another:
                explain(row)
    record.grow()


def compensate(old: Record, new: Record, by: By, *, question: Q | None) -> str:
    code = begin(old, by, SETTLES, C.COMPENSATE)
    if code:
        return code
    if question and Finding.COMPENSATE not in exits(old, question):
        return "not_found"
    code = register(new, asked_by=by.name)
    if not code and question:
        close_review(old, question)
    return code or leave(old)
