"""Choices that take two people: proposed by one, carried out when another agrees."""

import pytest

from operations.actions.attest_receipt import attest_receipt
from operations.actions.begin_decision import Decided
from operations.actions.decide_approval import decide_approval
from operations.actions.find_not_executed import find_not_executed
from operations.actions.release_operation import release_operation
from operations.actions.second_proposal import second_proposal
from operations.models import ApprovalDecision
from operations.protocol.refusals import (
    AlreadyDecided,
    ChoiceClosed,
    NotPermitted,
    OwnRequest,
    ProposalVoid,
)
from operations.protocol.states import ApprovalStatus, ChoiceCode, State
from tests.build import a_person, a_receipt, an_agent, as_actor, move_back, receive
from tests.people import (
    a_manual_unknown,
    an_approver,
    an_operator,
    an_unknown_outcome,
    refused_acts,
    the_entry,
    typed,
)

pytestmark = pytest.mark.django_db


def propose_release(operation, actor=None, **given):
    return release_operation(
        operation_id=operation.pk,
        actor=actor or an_operator(),
        version=operation.version,
        reason="The process died before the call.",
        **given,
    )


def second(decided: Decided, actor, *, is_yes=True, **given):
    assert decided.proposal is not None
    done = second_proposal(
        approval_id=decided.proposal.pk,
        actor=actor,
        is_yes=is_yes,
        reason="Seen the log.",
        **given,
    )
    decided.operation.refresh_from_db()
    decided.proposal.refresh_from_db()
    return done


def test_a_proposal_does_nothing_yet_and_lives_half_an_hour():
    operation = an_unknown_outcome()
    proposer = an_operator()
    proposed = propose_release(operation, proposer)
    proposal = proposed.proposal
    operation.refresh_from_db()
    assert (operation.state, operation.generation) == (State.SENT_UNKNOWN, 1)
    assert (proposal.choice, proposal.version_seen) == (ChoiceCode.RELEASE, operation.version)
    assert (proposal.expires_at - proposal.opened_at).total_seconds() == 1800
    assert proposer.person_id in proposal.excluded_ids
    assert operation.review_holder is None
    assert the_entry(operation, "propose").detail["choice"] == ChoiceCode.RELEASE


def test_the_second_persons_yes_carries_it_out_under_one_lock():
    operation = an_unknown_outcome()
    proposer, seconder = an_operator(), an_approver()
    proposed = propose_release(operation, proposer)
    second(proposed, seconder)
    operation.refresh_from_db()
    assert (operation.state, operation.generation) == (State.READY, 2)
    assert proposed.proposal.status == ApprovalStatus.GRANTED
    entry = the_entry(operation, "release")
    assert entry.actor_id == seconder.id
    assert entry.detail["proposed_by"] == proposer.person_id
    assert entry.detail["lookup"]["result"] == "not_found"


def test_a_proposal_is_answered_through_the_approvals_page_too():
    operation = an_unknown_outcome()
    proposal = propose_release(operation).proposal
    decide_approval(
        approval_id=proposal.pk,
        actor=an_operator(),
        is_yes=True,
        reason="Agreed.",
        digest_seen=proposal.payload_digest,
    )
    operation.refresh_from_db()
    assert operation.generation == 2


def test_a_no_leaves_everything_as_it_is():
    operation = an_unknown_outcome()
    proposed = propose_release(operation)
    second(proposed, an_operator(), is_yes=False)
    assert proposed.operation.state == State.SENT_UNKNOWN
    assert proposed.proposal.status == ApprovalStatus.REJECTED
    assert the_entry(operation, "reject_proposal").words.reason == "Seen the log."


def test_the_proposer_cannot_be_the_second_person():
    operation = an_unknown_outcome()
    proposer = as_actor(a_person("", "operator", "approver", "admin"))
    proposed = propose_release(operation, proposer)
    with pytest.raises(OwnRequest, match="the proposer"):
        second(proposed, proposer)
    assert refused_acts(proposer) == ["own_request"]


def test_the_responsible_person_cannot_be_the_second_person_but_may_propose():
    responsible = a_person("", "operator")
    operation = an_unknown_outcome(agent=an_agent(responsible=responsible))
    proposed = propose_release(operation)
    with pytest.raises(OwnRequest):
        second(proposed, as_actor(responsible))
    second(proposed, an_operator(), is_yes=False)
    operation.refresh_from_db()
    again = propose_release(operation, as_actor(responsible))
    assert again.proposal is not None


@pytest.mark.parametrize("role", ["viewer", "auditor", "admin"])
def test_a_second_person_needs_the_role(role):
    proposed = propose_release(an_unknown_outcome())
    with pytest.raises(NotPermitted):
        second(proposed, as_actor(a_person("", role)))


def test_any_new_version_voids_a_proposal_visibly():
    operation = an_unknown_outcome()
    proposed = propose_release(operation)
    receive(operation, a_receipt(operation, status="pending", effect_id=None))
    proposed.proposal.refresh_from_db()
    assert proposed.proposal.status == ApprovalStatus.VOIDED
    assert proposed.proposal.decided_at is not None
    with pytest.raises(ProposalVoid):
        second(proposed, an_operator())
    operation.refresh_from_db()
    assert operation.generation == 1


def test_a_late_receipt_beats_a_proposal():
    operation = an_unknown_outcome()
    proposed = propose_release(operation)
    receive(operation, a_receipt(operation))
    with pytest.raises(ProposalVoid):
        second(proposed, an_operator())
    operation.refresh_from_db()
    assert operation.state == State.CONFIRMED


def test_an_overdue_proposal_takes_no_answer_and_is_written_as_expired():
    operation = a_manual_unknown()
    proposed = find_not_executed(
        operation_id=operation.pk,
        actor=an_operator(),
        version=operation.version,
        reason="They have nothing.",
        named_answer="Maaike, order desk",
    )
    move_back(operation, 1801)
    with pytest.raises(AlreadyDecided, match="expired"):
        second(proposed, an_operator())
    proposed.proposal.refresh_from_db()
    operation.refresh_from_db()
    assert proposed.proposal.status == ApprovalStatus.EXPIRED
    assert operation.state == State.SENT_UNKNOWN
    assert not ApprovalDecision.objects.exists()


def test_an_overdue_proposal_closes_no_choice():
    operation = a_manual_unknown()
    attest = {"operation_id": operation.pk, "reason": "Their record.", "actor": an_operator()}
    attest_receipt(version=operation.version, entered=typed(operation), **attest)
    move_back(operation, 1801)
    again = attest_receipt(version=operation.version, entered=typed(operation), **attest)
    assert again.proposal.status == ApprovalStatus.OPEN


def test_only_one_proposal_is_open_at_a_time():
    operation = an_unknown_outcome()
    propose_release(operation)
    operation.refresh_from_db()
    with pytest.raises(ChoiceClosed) as refused:
        propose_release(operation)
    assert refused.value.members["closed_code"] == "proposal_open"


def test_a_release_is_judged_again_when_the_second_person_agrees():
    """The lookup it rested on is more than a minute old by then."""
    operation = an_unknown_outcome()
    proposed = propose_release(operation)
    move_back(operation, 61)
    with pytest.raises(ChoiceClosed) as refused:
        second(proposed, an_operator())
    assert refused.value.members["closed_code"] == "no_fresh_lookup"
    proposed.proposal.refresh_from_db()
    assert proposed.proposal.status == ApprovalStatus.OPEN
    assert not ApprovalDecision.objects.exists()


def test_agreeing_twice_by_double_click_is_one_release():
    operation = an_unknown_outcome()
    proposed = propose_release(operation)
    seconder = an_operator()
    second(proposed, seconder, decision_id="form-2")
    again = second(proposed, seconder, decision_id="form-2")
    operation.refresh_from_db()
    assert again.is_repeat
    assert operation.generation == 2


def test_proposing_twice_by_double_click_is_one_proposal():
    operation = an_unknown_outcome()
    proposer = an_operator()
    propose_release(operation, proposer, decision_id="form-3")
    again = propose_release(operation, proposer, decision_id="form-3")
    assert again.is_repeat
    assert operation.approvals.count() == 1


def test_a_proposals_words_are_kept_beside_the_chain_not_in_it():
    operation = an_unknown_outcome()
    proposed = propose_release(operation)
    entry = the_entry(operation, "propose")
    assert b"died before" not in bytes(entry.body)
    assert entry.words.reason == "The process died before the call."
    assert proposed.proposal.proposal["reason"] == "The process died before the call."
