"""New operations in place of, or to make up for, an old one."""

import pytest

from operations.actions.claim_operation import claim_operation
from operations.actions.compensate_operation import compensate_operation
from operations.actions.decide_approval import decide_approval
from operations.actions.follow_up import FollowUp
from operations.actions.mark_attempt import mark_attempt
from operations.actions.record_refusal import record_refusal
from operations.actions.register_operation import register_operation
from operations.actions.supersede_operation import supersede_operation
from operations.actions.withdraw_operation import withdraw_operation
from operations.protocol.refusals import (
    AlreadyClaimed,
    ChoiceClosed,
    InvalidPayload,
    KeyTaken,
    NotPermitted,
    OwnRequest,
)
from operations.protocol.states import ApprovalStatus, ApprovalSubject, Cause, State
from tests.build import (
    a_claim,
    a_marked_operation,
    a_person,
    a_receipt,
    a_refund,
    a_registration,
    agent_actor,
    an_operation,
    as_actor,
    receive,
)
from tests.people import an_approver, an_operator, the_entry, the_request

pytestmark = pytest.mark.django_db


def refused_operation(**given):
    """Case 6: a definite no, bound to its key for ever."""
    operation, attempt = a_marked_operation(**given)
    record_refusal(
        operation_id=operation.pk,
        actor=agent_actor(operation.agent),
        token=attempt.token,
        status=422,
        code="order_refused",
        raw=b"{}",
    )
    operation.refresh_from_db()
    assert operation.state == State.REFUSED
    return operation


def supersede(operation, actor=None, *, key="", **given):
    return supersede_operation(
        operation_id=operation.pk,
        actor=actor or an_operator(),
        version=operation.version,
        wanted=FollowUp(key=key or f"{operation.key}-b", **given),
        reason="The size was wrong.",
    )


def approve(operation, actor):
    request = the_request(operation)
    decide_approval(
        approval_id=request.pk,
        actor=actor,
        is_yes=True,
        reason="Fine.",
        digest_seen=request.payload_digest,
    )
    operation.refresh_from_db()


def test_a_refused_operation_is_superseded_by_a_linked_one_under_its_own_key():
    old = refused_operation(reference="basket-1")
    new = supersede(old, payload_text='{"sku":"vanilla","quantity":3}').follow_up
    assert (new.supersedes, new.state) == (old, State.AWAITING_APPROVAL)
    assert (new.agent, new.receiver, new.reference) == (old.agent, old.receiver, "basket-1")
    assert the_request(new).subject == ApprovalSubject.SUPERSESSION
    assert the_entry(old, "supersede").detail["key"] == new.key
    old.refresh_from_db()
    assert old.state == State.REFUSED


def test_the_same_payload_again_asks_about_the_supersession_not_about_a_twin():
    old = refused_operation(reference="basket-2")
    new = supersede(old).follow_up
    assert the_request(new).subject == ApprovalSubject.SUPERSESSION


def test_its_agent_sends_the_successor_after_a_yes():
    old = refused_operation()
    new = supersede(old).follow_up
    approve(new, an_approver())
    claim = claim_operation(
        operation_id=new.pk,
        actor=agent_actor(old.agent),
        version=new.version,
        holder="w",
        lease_seconds=30,
    )
    attempt = mark_attempt(operation_id=new.pk, actor=agent_actor(old.agent), token=claim.token)
    assert attempt.idempotency_key != old.idempotency_key


def test_whoever_asks_for_the_successor_does_not_approve_it():
    both = as_actor(a_person("", "operator", "approver"))
    new = supersede(refused_operation(), both).follow_up
    with pytest.raises(OwnRequest):
        approve(new, both)


def test_the_agents_responsible_person_does_not_approve_it_either():
    old = refused_operation()
    responsible = old.agent.responsible
    responsible.groups.set(a_person("", "approver").groups.all())
    new = supersede(old).follow_up
    with pytest.raises(OwnRequest):
        approve(new, as_actor(responsible))


def test_what_may_still_have_its_effect_is_not_superseded():
    operation, _ = a_marked_operation()
    with pytest.raises(ChoiceClosed):
        supersede(operation)


def test_one_successor_at_a_time():
    old = refused_operation()
    first = supersede(old).follow_up
    with pytest.raises(ChoiceClosed) as refused:
        supersede(old, key="another")
    assert first.key in refused.value.detail


def test_a_late_word_about_the_old_one_closes_superseding():
    old = refused_operation()
    receive(old, a_receipt(old))
    old.refresh_from_db()
    with pytest.raises(ChoiceClosed):
        supersede(old)


def register(old, **given):
    return register_operation(
        actor=agent_actor(old.agent), registration=a_registration(**given)
    ).operation


def test_an_agent_supersedes_nothing_that_a_late_word_is_unanswered_about():
    old = refused_operation()
    receive(old, a_receipt(old))
    with pytest.raises(ChoiceClosed) as refused:
        register(old, supersedes=str(old.pk))
    assert refused.value.members["closed_code"] == "review_open"


def test_an_agent_registers_no_second_successor():
    old = refused_operation()
    first = register(old, supersedes=str(old.pk))
    with pytest.raises(ChoiceClosed) as refused:
        register(old, supersedes=str(old.pk))
    assert first.key in refused.value.detail


def test_an_agent_makes_up_only_for_what_happened():
    old, _ = a_marked_operation()
    with pytest.raises(ChoiceClosed):
        register(old, compensates=str(old.pk))
    receive(old, a_receipt(old))
    assert register(old, compensates=str(old.pk)).state == State.AWAITING_APPROVAL


def test_a_successor_needs_a_payload_its_kind_allows():
    with pytest.raises(InvalidPayload):
        supersede(refused_operation(), payload_text='{"sku":"vanilla","quantity":0}')


def test_a_key_of_another_agent_is_taken():
    taken = an_operation()
    with pytest.raises(KeyTaken):
        supersede(refused_operation(), key=taken.key)


def test_a_confirmed_operation_is_compensated_by_one_that_waits_for_approval():
    old, _ = a_marked_operation()
    receive(old, a_receipt(old))
    old.refresh_from_db()
    new = compensate_operation(
        operation_id=old.pk,
        actor=an_operator(),
        version=old.version,
        wanted=FollowUp(
            key=f"{old.key}-undo",
            kind="customer.email",
            payload_text='{"to":"a@example.org","subject":"Please take it back","body":"…"}',
        ),
        reason="Ordered twice.",
    ).follow_up
    assert (new.compensates, new.state) == (old, State.AWAITING_APPROVAL)
    assert the_entry(old, "compensate").detail["operation"] == str(new.pk)


def test_a_person_withdraws_what_was_never_sent_and_its_request_with_it():
    operation = a_refund()
    actor = an_operator()
    withdraw_operation(
        operation_id=operation.pk, actor=actor, version=operation.version, reason="Not wanted."
    )
    operation.refresh_from_db()
    assert (operation.state, operation.cause) == (State.CANCELLED, Cause.WITHDRAWN)
    assert operation.approvals.get().status == ApprovalStatus.WITHDRAWN
    assert the_entry(operation, "cancel").actor_id == actor.id
    assert operation.review_holder is None


def test_what_was_sent_is_not_withdrawn():
    operation, _ = a_marked_operation()
    with pytest.raises(ChoiceClosed) as refused:
        withdraw(operation)
    assert refused.value.members["closed_code"] == "has_attempt"


def test_what_a_worker_holds_is_not_withdrawn_under_it():
    operation = an_operation()
    a_claim(operation)
    with pytest.raises(AlreadyClaimed):
        withdraw(operation)


def test_a_viewer_withdraws_nothing():
    with pytest.raises(NotPermitted):
        withdraw(an_operation(), as_actor(a_person("", "viewer")))


def withdraw(operation, actor=None):
    withdraw_operation(
        operation_id=operation.pk,
        actor=actor or an_operator(),
        version=operation.version,
        reason="Not wanted.",
    )
