"""Two people, or a person and the receiver, at the very same moment: one decision counts."""

from functools import partial

import pytest

from operations.actions.decide_approval import decide_approval
from operations.actions.expire_approvals import expire_approvals
from operations.actions.find_not_executed import find_not_executed
from operations.actions.release_operation import release_operation
from operations.actions.second_proposal import second_proposal
from operations.actions.take_case import take_case
from operations.models import ApprovalDecision, AuditEntry, Operation
from operations.protocol.chain import check_chain
from operations.protocol.refusals import AlreadyDecided, CaseHeld, ProposalVoid, Refusal
from operations.protocol.states import ApprovalStatus, Cause, State
from tests.build import a_receipt, a_refund, an_agent, move_back, receive
from tests.people import an_approver, an_operator, an_unknown_outcome, the_request
from tests.racing import race, race_in_rounds, refusals

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.race]

ROUNDS = 100


def an_answer(request, actor, *, is_yes):
    return partial(
        decide_approval,
        approval_id=request.pk,
        actor=actor,
        is_yes=is_yes,
        reason="At the same moment.",
        digest_seen=request.payload_digest,
    )


def a_second(proposed, actor, *, is_yes=True, **given):
    return partial(
        second_proposal,
        approval_id=proposed.proposal.pk,
        actor=actor,
        is_yes=is_yes,
        reason="Seen it.",
        **given,
    )


def chain_is_whole(operation):
    entries = AuditEntry.objects.filter(stream=f"operation:{operation.pk}").order_by("seq")
    return check_chain((e.seq, e.prev_hash, e.hash, e.body) for e in entries) is None


def test_approve_against_reject_leaves_one_decision_and_tells_the_loser_whose():
    """Case 86, 100 rounds."""
    anna, bert = an_approver("anna"), an_approver("bert")
    agent = an_agent()
    asked = [the_request(a_refund(agent=agent)) for _ in range(ROUNDS)]
    rounds = race_in_rounds(
        [an_answer(request, anna, is_yes=True) for request in asked],
        [an_answer(request, bert, is_yes=False) for request in asked],
    )
    for request, outcomes in zip(asked, rounds, strict=True):
        (loser,) = refusals(outcomes)
        decision = ApprovalDecision.objects.get(approval=request)
        assert isinstance(loser, AlreadyDecided)
        assert loser.members["by"] == decision.person.username
        operation = Operation.objects.get(pk=request.operation_id)
        assert operation.state == (State.READY if decision.is_yes else State.CANCELLED)
        assert not operation.attempts.exists()
    assert chain_is_whole(operation)


def test_two_approvers_at_once_make_a_quorum_of_two():
    operation = a_refund("1000.00")
    request = the_request(operation)
    outcomes = race(
        an_answer(request, an_approver(), is_yes=True),
        an_answer(request, an_approver(), is_yes=True),
    )
    assert not refusals(outcomes)
    request.refresh_from_db()
    operation.refresh_from_db()
    assert (request.given, request.status) == (2, ApprovalStatus.GRANTED)
    assert operation.state == State.READY


def test_one_person_in_two_tabs_counts_once():
    operation = a_refund("1000.00")
    request, anna = the_request(operation), an_approver()
    outcomes = race(*[an_answer(request, anna, is_yes=True)] * 2)
    assert len(refusals(outcomes)) == 1
    request.refresh_from_db()
    assert request.given == 1


def test_the_same_form_sent_twice_at_once_is_one_decision_without_a_refusal():
    """Case 105."""
    operation = a_refund()
    request = the_request(operation)
    act = partial(an_answer(request, an_approver(), is_yes=True), decision_id="form-1")
    outcomes = race(act, act)
    assert sorted(outcome.is_repeat for outcome in outcomes) == [False, True]
    assert ApprovalDecision.objects.count() == 1


def test_two_seconders_at_once_release_once():
    operation = an_unknown_outcome()
    proposed = release_operation(
        operation_id=operation.pk,
        actor=an_operator(),
        version=operation.version,
        reason="Nothing there.",
    )
    outcomes = race(a_second(proposed, an_operator()), a_second(proposed, an_approver()))
    (loser,) = refusals(outcomes)
    assert isinstance(loser, AlreadyDecided)
    operation.refresh_from_db()
    assert (operation.state, operation.generation) == (State.READY, 2)
    assert ApprovalDecision.objects.count() == 1


@pytest.mark.parametrize("round_number", range(10))
def test_a_decision_against_a_late_receipt_never_loses_the_evidence(round_number):
    operation = an_unknown_outcome()
    proposed = find_not_executed(
        operation_id=operation.pk,
        actor=an_operator(),
        version=operation.version,
        reason="Nothing there.",
    )
    receipt = a_receipt(operation)
    race(a_second(proposed, an_operator()), partial(receive, operation, receipt))
    operation.refresh_from_db()
    assert operation.receipts.count() == 1
    if operation.state == State.CONFIRMED:  # the receipt came first and voided the proposal
        assert operation.effect_id == receipt["effect_id"]
        assert not ApprovalDecision.objects.filter(approval=proposed.proposal).exists()
    else:  # the finding came first; the receipt asks a person, and overwrites nothing
        assert operation.state == State.NOT_EXECUTED
        assert operation.reviews.filter(question="late_receipt", closed_at=None).exists()
    assert chain_is_whole(operation)


def test_a_proposal_against_a_late_receipt_is_void_or_not_made():
    operation = an_unknown_outcome()
    propose = partial(
        release_operation,
        operation_id=operation.pk,
        actor=an_operator(),
        version=operation.version,
        reason="Nothing there.",
    )
    proposed, _ = race(propose, partial(receive, operation, a_receipt(operation)))
    operation.refresh_from_db()
    assert operation.state == State.CONFIRMED
    if not isinstance(proposed, Refusal):
        with pytest.raises(ProposalVoid):
            a_second(proposed, an_operator())()


def test_two_people_take_a_case_and_one_has_it():
    operation = an_unknown_outcome()
    acts = [
        partial(take_case, operation_id=operation.pk, actor=actor, version=operation.version)
        for actor in (an_operator("olga"), an_operator("otto"))
    ]
    (loser,) = refusals(race(*acts))
    operation.refresh_from_db()
    assert isinstance(loser, CaseHeld)
    assert loser.members["holder"] == operation.review_holder.username


def test_an_answer_against_the_sweep_at_the_last_moment_writes_expiry_once():
    operation = a_refund()
    request = the_request(operation)
    move_back(operation, 3601)
    answered, _ = race(
        an_answer(request, an_approver(), is_yes=True), partial(expire_approvals, limit=10)
    )
    operation.refresh_from_db()
    assert isinstance(answered, AlreadyDecided)
    assert (operation.state, operation.cause) == (State.CANCELLED, Cause.EXPIRED)
    ends = AuditEntry.objects.filter(operation=operation, event="cancel")
    assert ends.count() == 1
