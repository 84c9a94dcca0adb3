"""People answer requests for approval: quorum, exclusion, expiry, and what each answer leads to."""

import pytest
from django.db import IntegrityError, transaction

from operations.actions.claim_operation import claim_operation
from operations.actions.decide_approval import decide_approval
from operations.actions.mark_attempt import mark_attempt
from operations.actions.take_case import take_case
from operations.models import ApprovalDecision
from operations.protocol.refusals import (
    AlreadyDecided,
    ApprovalRequired,
    CaseHeld,
    ChoiceClosed,
    InvalidField,
    NotFound,
    NotPermitted,
    OwnRequest,
    StaleVersion,
)
from operations.protocol.states import ApprovalStatus, Cause, Executor, State
from tests.build import (
    a_claim,
    a_person,
    a_refund,
    agent_actor,
    an_agent,
    as_actor,
    move_back,
)
from tests.people import an_approver, an_operator, refused_acts, the_entry, the_request

pytestmark = pytest.mark.django_db


def answer(operation, actor, *, is_yes=True, **given):
    asked = operation.approvals.order_by("-id").first()
    values = {"reason": "Checked the order.", "digest_seen": asked.payload_digest, **given}
    done = decide_approval(approval_id=asked.pk, actor=actor, is_yes=is_yes, **values)
    operation.refresh_from_db()
    return done


def test_a_yes_makes_the_operation_ready_and_says_who_when_why_and_what():
    operation = a_refund()
    approver = an_approver("anna")
    answer(operation, approver, reason="The goods came back.")
    assert operation.state == State.READY
    entry = the_entry(operation, "approve")
    assert (entry.actor_id, entry.state_before) == (approver.id, State.AWAITING_APPROVAL)
    assert entry.detail["payload_digest"] == operation.payload_digest
    assert (entry.words.actor_name, entry.words.reason) == ("anna", "The goods came back.")
    offered = {row["code"]: row["is_open"] for row in entry.detail["offered"]}
    assert offered["cancel"] is True
    assert offered["release"] is False


def test_a_yes_of_a_console_operation_makes_its_dispatch_due():
    operation = a_refund(executor=Executor.CONSOLE)
    assert operation.next_try_at is None
    answer(operation, an_approver())
    assert operation.next_try_at is not None


def test_a_large_sum_needs_two_different_people():
    operation = a_refund("1000.00")
    first = an_approver()
    answer(operation, first)
    assert operation.state == State.AWAITING_APPROVAL
    with pytest.raises(AlreadyDecided, match="approved by you already"):
        answer(operation, first)
    answer(operation, an_approver())
    assert operation.state == State.READY
    assert operation.approvals.get().given == 2


def test_one_no_ends_it_for_good():
    operation = a_refund("1000.00")
    answer(operation, an_approver())
    answer(operation, an_approver(), is_yes=False, reason="Not ours to pay.")
    assert (operation.state, operation.cause) == (State.CANCELLED, Cause.REJECTED)
    assert the_entry(operation, "cancel").cause == Cause.REJECTED
    with pytest.raises(AlreadyDecided, match="rejected"):
        answer(operation, an_approver())


def test_the_one_who_comes_second_learns_whose_answer_counts():
    operation = a_refund()
    asked = the_request(operation)
    answer(operation, an_approver("anna"))
    with pytest.raises(AlreadyDecided) as refused:
        answer(operation, an_approver(), is_yes=False)
    asked.refresh_from_db()
    assert refused.value.members["by"] == "anna"
    assert refused.value.members["since"] == asked.decided_at
    assert operation.state == State.READY


def test_the_requester_cannot_approve_even_as_a_superuser_with_every_role():
    """Case 88."""
    alice = a_person("alice", "approver", "admin", "operator")
    alice.is_superuser = True
    alice.save()
    operation = a_refund(agent=an_agent(responsible=alice))
    with pytest.raises(OwnRequest):
        answer(operation, as_actor(alice))
    assert operation.state == State.AWAITING_APPROVAL
    assert refused_acts(as_actor(alice)) == ["own_request"]


def test_whoever_becomes_responsible_later_is_excluded_too():
    agent = an_agent()
    operation = a_refund(agent=agent)
    approver = a_person("", "approver")
    agent.responsible = approver
    agent.save(update_fields=["responsible"])
    with pytest.raises(OwnRequest):
        answer(operation, as_actor(approver))


def test_the_database_refuses_a_self_approval_by_itself():
    alice = a_person()
    operation = a_refund(agent=an_agent(responsible=alice))
    asked = the_request(operation)
    with pytest.raises(IntegrityError, match="may not decide"), transaction.atomic():
        ApprovalDecision.objects.create(
            approval=asked,
            person=alice,
            is_yes=True,
            payload_digest_seen=asked.payload_digest,
            at=asked.opened_at,
        )


@pytest.mark.parametrize("role", ["viewer", "operator", "auditor", "admin"])
def test_only_the_role_that_the_policy_names_may_answer(role):
    operation = a_refund()
    actor = as_actor(a_person("", role))
    with pytest.raises(NotPermitted):
        answer(operation, actor)
    assert refused_acts(actor) == ["not_permitted"]


def test_an_agent_never_approves():
    operation = a_refund()
    with pytest.raises(NotPermitted, match="a person"):
        answer(operation, agent_actor(operation.agent))


def test_an_overdue_request_takes_no_decision_and_is_written_as_expired():
    """Case 83: no sweep has run."""
    operation = a_refund()
    move_back(operation, 3601)
    with pytest.raises(AlreadyDecided, match="expired"):
        answer(operation, an_approver())
    operation.refresh_from_db()
    assert (operation.state, operation.cause) == (State.CANCELLED, Cause.EXPIRED)
    assert operation.approvals.get().status == ApprovalStatus.EXPIRED
    assert operation.review_holder is None


def test_a_yes_that_ran_out_before_the_mark_sends_nothing_and_asks_again():
    operation = a_refund()
    answer(operation, an_approver())
    move_back(operation, 901)
    claim = a_claim(operation)
    with pytest.raises(ApprovalRequired):
        mark_attempt(
            operation_id=operation.pk, actor=agent_actor(operation.agent), token=claim.token
        )
    operation.refresh_from_db()
    assert operation.state == State.AWAITING_APPROVAL
    assert the_request(operation).round == 2
    assert not operation.attempts.exists()


def test_approved_is_sent_once_under_the_approval_on_record():
    operation = a_refund()
    answer(operation, an_approver())
    claim = claim_operation(
        operation_id=operation.pk,
        actor=agent_actor(operation.agent),
        version=operation.version,
        holder="w",
        lease_seconds=30,
    )
    attempt = mark_attempt(
        operation_id=operation.pk, actor=agent_actor(operation.agent), token=claim.token
    )
    assert attempt.approval == operation.approvals.get()


def test_other_bytes_than_those_shown_are_not_approved():
    """Case 81."""
    operation = a_refund()
    with pytest.raises(ChoiceClosed) as refused:
        answer(operation, an_approver(), digest_seen="0" * 64)
    assert refused.value.members["closed_code"] == "digest_differs"
    assert not ApprovalDecision.objects.exists()


def test_a_double_click_is_one_decision_and_shows_its_result():
    """Case 105."""
    operation = a_refund()
    approver = an_approver()
    first = answer(operation, approver, decision_id="form-1")
    second = answer(operation, approver, decision_id="form-1")
    assert (first.is_repeat, second.is_repeat) == (False, True)
    assert second.operation.state == State.READY
    assert ApprovalDecision.objects.count() == 1


def test_a_form_of_another_person_is_no_form_of_mine():
    """Case 107."""
    operation = a_refund("1000.00")
    answer(operation, an_approver(), decision_id="form-1")
    with pytest.raises(InvalidField, match="decision_id"):
        answer(operation, an_approver(), decision_id="form-1")


def test_an_answer_needs_a_reason():
    operation = a_refund()
    with pytest.raises(InvalidField, match="reason"):
        answer(operation, an_approver(), reason="  ")
    assert not ApprovalDecision.objects.exists()


def test_an_answer_on_an_older_version_is_refused_with_what_changed():
    operation = a_refund("1000.00")
    seen = operation.version
    answer(operation, an_approver("anna"))
    with pytest.raises(StaleVersion) as refused:
        answer(operation, an_approver(), version=seen)
    (change,) = refused.value.members["changes"]
    assert (change["event"], change["by"]) == ("answer_approval", "anna")


def test_an_answer_waits_while_another_person_has_the_case():
    operation = a_refund()
    take_case(operation_id=operation.pk, actor=an_operator("olga"), version=operation.version)
    with pytest.raises(CaseHeld, match="olga"):
        answer(operation, an_approver())


def test_an_answer_leaves_the_case_free_and_one_claim_in_the_ledger():
    operation = a_refund()
    answer(operation, an_approver())
    assert operation.review_holder is None
    claim = operation.claims.get(slot="review")
    assert claim.end == "finished"


def test_an_unknown_request_is_not_found():
    with pytest.raises(NotFound):
        decide_approval(
            approval_id=99, actor=an_approver(), is_yes=True, reason="x", digest_seen=""
        )
