"""What is over by the clock is written down by the sweep, once, each in its own transaction."""

import pytest

from operations.actions.expire_approvals import expire_approvals
from operations.actions.expire_claims import expire_claims
from operations.actions.find_not_executed import find_not_executed
from operations.actions.take_case import take_case
from operations.models import AuditEntry
from operations.protocol.facts import executed
from operations.protocol.states import ApprovalStatus, Cause, ClaimEnd, Slot, State
from operations.queries.facts import facts_of
from tests.build import a_claim, a_refund, an_operation, move_back
from tests.people import a_manual_unknown, an_operator, an_unknown_outcome, the_entry

pytestmark = pytest.mark.django_db


def test_an_overdue_request_ends_cancelled_by_expiry_and_nothing_was_sent():
    operation = a_refund()
    assert expire_approvals(limit=10) == 0
    move_back(operation, 3601)
    assert (expire_approvals(limit=10), expire_approvals(limit=10)) == (1, 0)
    operation.refresh_from_db()
    assert (operation.state, operation.cause) == (State.CANCELLED, Cause.EXPIRED)
    assert executed(facts_of(operation)) is False
    assert the_entry(operation, "cancel").actor_id == "sweep"


def test_each_run_writes_at_most_its_limit():
    for operation in (a_refund(), a_refund(), a_refund()):
        move_back(operation, 3601)
    assert [expire_approvals(limit=2) for _ in range(3)] == [2, 1, 0]


def test_an_overdue_proposal_expires_and_the_state_stays():
    operation = a_manual_unknown()
    proposal = find_not_executed(
        operation_id=operation.pk,
        actor=an_operator(),
        version=operation.version,
        reason="Nothing there.",
        named_answer="Maaike",
    ).proposal
    move_back(operation, 1801)
    assert expire_approvals(limit=10) == 1
    proposal.refresh_from_db()
    operation.refresh_from_db()
    assert (proposal.status, operation.state) == (ApprovalStatus.EXPIRED, State.SENT_UNKNOWN)


def test_a_claim_whose_lease_ran_out_ends_in_the_ledger():
    operation = an_operation()
    claim = a_claim(operation, lease_seconds=30)
    assert expire_claims(limit=10) == 0
    move_back(operation, 31)
    assert (expire_claims(limit=10), expire_claims(limit=10)) == (1, 0)
    claim.refresh_from_db()
    assert (claim.end, claim.ended_at) == (ClaimEnd.EXPIRED, claim.expires_at)
    assert the_entry(operation, "expire_claim").token == claim.token


def test_its_token_stays_current_and_another_claim_can_be_taken():
    operation = an_operation()
    claim = a_claim(operation, lease_seconds=30)
    move_back(operation, 31)
    expire_claims(limit=10)
    operation.refresh_from_db()
    assert (operation.claim_token, operation.claim_given_back) == (claim.token, False)
    assert a_claim(operation).token > claim.token


def test_a_case_that_nobody_handed_back_ends_in_the_ledger_without_a_name_in_the_chain():
    operation = an_unknown_outcome()
    take_case(operation_id=operation.pk, actor=an_operator("olga"), version=operation.version)
    move_back(operation, 901)
    assert expire_claims(limit=10) == 1
    assert operation.claims.get(slot=Slot.REVIEW).end == ClaimEnd.EXPIRED
    assert not any(
        b"olga" in bytes(entry.body) for entry in AuditEntry.objects.filter(operation=operation)
    )
