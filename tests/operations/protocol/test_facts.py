"""How a snapshot is read at an instant, before any sweep wrote what time alone brought about."""

import pytest

from operations.protocol.facts import as_read
from operations.protocol.states import ApprovalStatus, Cause, ChoiceCode, State

from .build import (
    MARKED_AT,
    QUARANTINE_ENDS_AT,
    SEND_DEADLINE_AT,
    a_profile,
    a_receipt,
    after,
    an_attempt,
    facts_of,
    never_sent,
    without_keys,
)

NOW = after(MARKED_AT, 3600)


def test_an_overdue_request_reads_cancelled_and_its_approval_expired() -> None:
    waiting = never_sent(
        State.AWAITING_APPROVAL, approval_status=ApprovalStatus.OPEN, approval_expires_at=NOW
    )
    read = as_read(waiting, NOW)
    assert (read.state, read.cause) == (State.CANCELLED, Cause.EXPIRED)
    assert read.approval_status is ApprovalStatus.EXPIRED


def test_a_request_without_an_end_is_never_overdue() -> None:
    waiting = never_sent(State.AWAITING_APPROVAL, approval_status=ApprovalStatus.OPEN)
    assert as_read(waiting, NOW) is waiting


@pytest.mark.parametrize("state", sorted(set(State) - {State.AWAITING_APPROVAL}))
def test_only_what_waits_for_approval_can_be_overdue(state: State) -> None:
    facts = facts_of(
        state=state, approval_status=ApprovalStatus.OPEN, approval_expires_at=MARKED_AT
    )
    assert as_read(facts, NOW) is facts


def test_a_proposal_that_is_over_is_read_as_none() -> None:
    facts = facts_of(proposal_open=ChoiceCode.ATTEST, proposal_expires_at=NOW)
    assert as_read(facts, NOW) == facts_of()
    assert as_read(facts, after(NOW, -1)) is facts


def test_unexplained_evidence_comes_newest_first_and_without_the_explained() -> None:
    old, new = a_receipt(), a_receipt(received_at=NOW)
    explained = a_receipt(is_unexplained=False)
    for receipts in ((old, explained, new), (new, explained, old)):
        assert facts_of(receipts=receipts).unexplained == (new, old)


def test_the_quarantine_of_an_early_generation_knows_nothing_of_a_later_one() -> None:
    first = an_attempt(closed_at=after(SEND_DEADLINE_AT, 20))
    second = an_attempt(generation=2, send_deadline_at=after(SEND_DEADLINE_AT, 500))
    facts = facts_of(attempts=(first, second))
    for profile, so_much_later in ((a_profile(), (0, 500, 500)), (without_keys(), (20, 500, 500))):
        found = [facts.quarantine_ends_at(profile, up_to=each) for each in (1, 2, None)]
        assert found == [after(QUARANTINE_ENDS_AT, seconds) for seconds in so_much_later]
    assert facts.quarantine_ends_at(a_profile(), up_to=0) is None
    assert facts.last_call_at(without_keys(), up_to=1) == after(SEND_DEADLINE_AT, 20)
