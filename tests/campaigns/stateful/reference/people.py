"""What people decide: alone, or one proposing and another agreeing (section 6, rule 13)."""

from collections.abc import Callable
from dataclasses import dataclass

from operations.protocol.states import ApprovalStatus as A
from operations.protocol.states import Channel, Grade
from operations.protocol.states import ChoiceCode as C
from operations.protocol.states import Question as Q
from operations.protocol.states import ReceiptStatus as R
from operations.protocol.states import State as S
from operations.protocol.states import Verdict as V
from tests.campaigns.stateful.reference.agents import withdraw
from tests.campaigns.stateful.reference.record import OPEN, Receipt, Record, Report, Said
from tests.campaigns.stateful.reference.rule3 import holder, reasons

type Act = Callable[[str], str]  # the proposer's name, or the one person's, to a code
SETTLES, SECONDS = {"operator"}, {"operator", "approver"}


@dataclass(kw_only=True)
class Proposal:
    """A choice that waits for a second person."""

    by: str
    until: int
    excluded: set[str]
    act: Act
    status: A = A.OPEN


@dataclass(frozen=True, kw_only=True)
class By:
    """Who acts, and whether on the version that they were shown."""

    name: str
    is_stale: bool = False


def begin(record: Record, by: By, roles: set[str], choice: C | None = None) -> str:
    """Why this person's decision does not even begin."""
    if not record.book.roles[by.name] & roles:
        return "not_permitted"
    if by.is_stale:
        return "stale_version"
    if holder(record) not in ("", by.name):
        return "already_claimed"
    if choice and reasons(record, choice, viewer=by.name):
        return "choice_closed"
    record.is_decided = True
    return ""


def write_expiry(record: Record) -> None:
    """A decision that changes nothing else lets the version grow when a proposal is over."""
    if any(p.status is A.OPEN and p.until <= record.book.now for p in record.proposals):
        record.grow()


def perform(record: Record, by: By, act: Act, *, needs_second: bool) -> str:
    """Carry it out, or propose it: who had a part in the request may propose, not decide alone."""
    if needs_second:
        record.grow()
        earlier = record.request.excluded if record.request else set()
        excluded = {by.name, *record.involved, *earlier}
        until = record.book.now + 30
        record.proposals.append(Proposal(by=by.name, until=until, excluded=excluded, act=act))
        record.slot = None
        return ""
    if by.name in record.involved:
        return "own_request"
    return act(by.name) or leave(record)


def leave(record: Record) -> str:
    """What is settled and asks nothing leaves nobody's hands full."""
    if record.state not in OPEN and not record.reviews:
        record.slot = None
    return ""


def second(record: Record, proposal: Proposal, by: By, *, is_yes: bool) -> str:
    code = begin(record, By(name=by.name), SECONDS)
    if code:
        return code
    if by.name in {*record.involved, *proposal.excluded, proposal.by}:
        return "own_request"
    if proposal.status is A.OPEN and proposal.until <= record.book.now:
        proposal.status = A.EXPIRED
        record.grow()
        return leave(record) or "choice_closed"
    if proposal.status is A.VOIDED:
        return "stale_version"
    if proposal.status is not A.OPEN:
        return "choice_closed"
    if by.is_stale:
        return "stale_version"
    proposal.status = A.GRANTED if is_yes else A.REJECTED
    code = proposal.act(proposal.by) if is_yes else record.grow() or ""
    if code:
        proposal.status = A.OPEN
        return code
    return leave(record)


def answer(record: Record, by: By, *, is_yes: bool, number: int) -> str:
    """One person's yes or no to the request of this number."""
    request = record.requests[number]
    code = begin(record, By(name=by.name), {"approver"})
    if code:
        return code
    if by.name in record.involved | request.excluded:
        return "own_request"
    if request.status is not A.OPEN or by.name in request.answered:
        return "choice_closed"
    if by.is_stale:
        return "stale_version"
    request.answered[by.name] = is_yes
    if not is_yes:
        request.status = A.REJECTED
        record.end_without_yes("rejected")
    elif len(request.answered) >= request.needed:
        request.status = A.GRANTED
        request.valid_until = record.book.now + request.yes_lives
        record.move(S.READY)
    else:
        record.grow()
    return leave(record)


def release(record: Record, asker: str) -> str:
    if own_reasons(record, C.RELEASE):
        return "choice_closed"
    record.generation += 1
    record.move(S.READY)
    for question in (Q.UNKNOWN_OUTCOME, Q.STALLED):
        record.reviews.pop(question, None)
    if record.request or record.needed:
        record.ask_people_again(asker=asker)
    return ""


def own_reasons(record: Record, choice: C) -> set[str]:
    return reasons(record, choice, viewer="") - {"proposal_open", "held_by_other"}


def find_not_executed(record: Record) -> str:
    if own_reasons(record, C.NOT_EXECUTED):
        return "choice_closed"
    record.move(S.NOT_EXECUTED)
    record.settled()
    return ""


def attest(record: Record, by: By, said: Said, *, insists: bool) -> str:
    code = begin(record, by, SETTLES, C.ATTEST)
    if code:
        return code
    is_taken = record.is_taken(said.effect)
    is_match = said.proves and not is_taken
    if is_match and not record.place.second and by.name in record.involved:
        return "own_request"
    is_mismatch = said.differs or (said.proves and is_taken)
    confirms_now = is_match and not record.place.second
    verdict = V.CONFIRMED if confirms_now else V.KEPT if is_match else V.NOT_PROOF
    row = Receipt(
        said=said,
        channel=Channel.PERSON,
        verdict=V.MISMATCH if is_mismatch else verdict,
        generation=record.generation,
        is_open=said.status is not R.REFUSED and not confirms_now,
        is_taken=is_taken,
    )
    record.receipts.append(row)
    if is_match:
        act = lambda _: confirm_attested(record, row)  # noqa: E731
        return perform(record, by, act, needs_second=record.place.second)
    record.grow()
    if is_mismatch and insists:
        record.ask(Q.RECEIPT_MISMATCH, row)
    return "receipt_mismatch" if is_mismatch else "choice_closed"


def confirm_attested(record: Record, row: Receipt) -> str:
    if own_reasons(record, C.ATTEST) or record.is_taken(row.said.effect):
        return "choice_closed"
    explain(row)
    record.confirm(row.said.effect, Grade.ATTESTED)
    return ""


def explain(row: Receipt | Report) -> None:
    if row.is_open and isinstance(row, Receipt):
        row.is_explained = True
    row.is_open = False


def why_not_set_aside(record: Record, row: Receipt | Report) -> str:
    if not row.is_open:
        return "not_found"
    asked = {question for question, review in record.reviews.items() if review.about is row}
    return "choice_closed" if asked - {Q.UNKNOWN_OUTCOME, Q.STALLED} else ""


def set_aside(record: Record, row: Receipt | Report) -> str:
    code = why_not_set_aside(record, row)
    if code:
        return code
    explain(row)
    record.grow()
    return ""


def close_attempt(record: Record, by: By, *, generation: int) -> str:
    code = begin(record, by, SECONDS, C.CLOSE_ATTEMPT)
    if code:
        return code
    attempt = next((a for a in record.attempts if a.generation == generation), None)
    if attempt is None:
        return "not_found"
    if attempt.is_closed or by.name in attempt.gone:
        return "choice_closed"
    if by.name in record.involved and attempt.gone & record.involved:
        return "own_request"
    write_expiry(record)
    attempt.gone.add(by.name)
    if len(attempt.gone) == 2 and not attempt.outcome:
        attempt.closed = record.book.now
    return leave(record)


def withdraw_by_person(record: Record, by: By) -> str:
    code = begin(record, by, SETTLES, C.CANCEL)
    if code:
        return code
    if record.claim:
        return "already_claimed"
    withdraw(record)
    return leave(record)


def take_case(record: Record, by: By, *, minutes: int) -> str:
    code = begin(record, by, SETTLES, C.TAKE)
    if not code:
        write_expiry(record)
        until = record.book.now + minutes
        held = record.slot[1] if holder(record) and record.slot else until
        record.slot = (by.name, max(until, held))
    return code


def hand_back(record: Record, by: By) -> str:
    if not record.book.roles[by.name] & SETTLES:
        return "not_permitted"
    if by.is_stale:
        return "stale_version"
    if not holder(record):
        return "choice_closed"
    if holder(record) != by.name:
        return "already_claimed"
    record.slot = None
    return ""
