"""An agent registers, claims, marks and reports: rows, trail and refusals."""

from dataclasses import replace

import pytest

from operations.actions.claim_operation import claim_operation
from operations.actions.end_attempt import end_attempt
from operations.actions.mark_attempt import mark_attempt
from operations.actions.record_receipt import record_receipt
from operations.actions.register_operation import register_operation
from operations.models import AuditEntry, Claim, Receipt
from operations.protocol.chain import check_chain
from operations.protocol.payloads import dumps
from operations.protocol.policies import Policy
from operations.protocol.receipts import parse_receipt
from operations.protocol.refusals import (
    AlreadyClaimed,
    AlreadyMarked,
    ApprovalRequired,
    KeyReused,
    KeyTaken,
    NotClaimable,
    StaleClaim,
    StaleVersion,
    UnknownReceiver,
)
from operations.protocol.states import Channel, Grade, State, Verdict
from tests.build import (
    a_claim,
    a_marked_operation,
    a_receipt,
    a_refund,
    a_registration,
    agent_actor,
    an_agent,
    an_operation,
    move_back,
    receive,
)

pytestmark = pytest.mark.django_db


def report(operation, value, token):
    return record_receipt(
        operation_id=operation.pk,
        value=parse_receipt(value),
        channel=Channel.RESPONSE,
        raw=dumps(value).encode(),
        actor=agent_actor(operation.agent),
        token=token,
    )


def chain_of(operation):
    entries = AuditEntry.objects.filter(stream=f"operation:{operation.pk}").order_by("seq")
    return check_chain((e.seq, e.prev_hash, e.hash, e.body) for e in entries)


def test_registering_writes_the_operation_and_its_first_audit_entry():
    operation = an_operation()
    assert (operation.state, operation.version, operation.generation) == (State.READY, 1, 1)
    entry = AuditEntry.objects.get(operation=operation)
    assert (entry.event, entry.actor_kind, entry.seq) == ("register", "agent", 1)
    assert chain_of(operation) is None


def test_the_same_request_again_is_observed():
    agent = an_agent()
    first = register_operation(actor=agent_actor(agent), registration=a_registration(key="k"))
    second = register_operation(
        actor=agent_actor(agent),
        registration=a_registration(key="k", payload='{"quantity":6.0,"sku":"vanilla"}'),
    )
    assert first.is_new
    assert not second.is_new
    assert second.operation.pk == first.operation.pk


def test_another_payload_under_a_used_key_is_a_recorded_conflict():
    agent = an_agent()
    operation = an_operation(agent=agent, key="k")
    with pytest.raises(KeyReused) as refused:
        register_operation(
            actor=agent_actor(agent),
            registration=a_registration(key="k", payload='{"sku":"vanilla","quantity":7}'),
        )
    assert refused.value.members["differences"][0]["pointer"] == "/payload/quantity"
    assert AuditEntry.objects.filter(operation=operation, event="key_reused").exists()


def test_another_agents_key_is_taken_and_says_nothing_more():
    operation = an_operation(key="k")
    with pytest.raises(KeyTaken) as refused:
        register_operation(actor=agent_actor(an_agent()), registration=a_registration(key="k"))
    assert str(operation.pk) not in refused.value.detail


def test_the_second_claim_loses_and_learns_who_holds_it():
    operation = an_operation()
    a_claim(operation, holder="w1")
    with pytest.raises(AlreadyClaimed) as refused:
        a_claim(operation, holder="w2")
    assert refused.value.members["holder"] == "w1"


def test_the_same_nonce_gives_the_same_claim():
    operation = an_operation()
    values = {
        "operation_id": operation.pk,
        "actor": agent_actor(operation.agent),
        "version": 1,
        "holder": "w",
        "lease_seconds": 30,
        "nonce": "n-1",
    }
    assert claim_operation(**values).pk == claim_operation(**values).pk


def test_a_stale_version_cannot_claim():
    operation = an_operation()
    with pytest.raises(StaleVersion):
        claim_operation(
            operation_id=operation.pk,
            actor=agent_actor(operation.agent),
            version=9,
            holder="w",
            lease_seconds=30,
        )


def test_an_expired_claim_can_be_taken_and_its_token_is_lower():
    operation = an_operation()
    first = a_claim(operation)
    move_back(operation, 120)
    second = a_claim(operation)
    first.refresh_from_db()
    assert second.token > first.token
    assert first.end == "expired"
    with pytest.raises(StaleClaim):
        mark_attempt(
            operation_id=operation.pk, actor=agent_actor(operation.agent), token=first.token
        )


def test_the_mark_puts_sent_unknown_and_the_attempt_on_record():
    operation, attempt = a_marked_operation()
    assert operation.state == State.SENT_UNKNOWN
    assert (attempt.generation, attempt.send_within_seconds) == (1, 8)
    with pytest.raises(AlreadyMarked):
        mark_attempt(
            operation_id=operation.pk, actor=agent_actor(operation.agent), token=attempt.token
        )


def test_a_matching_report_confirms_as_reported_and_ends_the_claim():
    operation, attempt = a_marked_operation()
    recorded = report(operation, a_receipt(operation, effect_id="eff-a"), attempt.token)
    assert recorded.verdict == Verdict.CONFIRMED
    operation.refresh_from_db()
    assert (operation.state, operation.grade) == (State.CONFIRMED, Grade.RECEIPT_REPORTED)
    assert Claim.objects.get(token=attempt.token).end == "finished"
    assert chain_of(operation) is None


def test_the_same_report_again_changes_nothing_and_leaves_a_note():
    """Case 39: the later answer is a no-op with an audit note."""
    operation, attempt = a_marked_operation()
    value = a_receipt(operation)
    report(operation, value, attempt.token)
    operation.refresh_from_db()
    again = report(operation, value, attempt.token)
    assert again.verdict == Verdict.ALREADY_CONFIRMED
    noted = AuditEntry.objects.get(operation=operation, event="keep_receipt")
    assert noted.detail["receipt"] == again.receipt.pk
    assert AuditEntry.objects.filter(operation=operation, event="confirm").count() == 1


def test_a_lookup_of_the_same_effect_raises_the_grade():
    operation, attempt = a_marked_operation()
    value = a_receipt(operation)
    report(operation, value, attempt.token)
    receive(operation, value)
    operation.refresh_from_db()
    assert operation.grade == Grade.RECEIPT


def test_a_source_that_carries_fewer_fields_raises_the_grade_too():
    operation, attempt = a_marked_operation()
    value = a_receipt(operation)
    report(operation, value, attempt.token)
    receive(operation, {name: value[name] for name in value if name != "payload"})
    operation.refresh_from_db()
    assert (operation.grade, operation.next_try_at) == (Grade.RECEIPT, None)


def test_another_payloads_receipt_is_kept_refused_and_opens_a_review():
    operation, attempt = a_marked_operation()
    value = a_receipt(operation, payload={"sku": "vanilla", "quantity": 60})
    recorded = report(operation, value, attempt.token)
    assert recorded.refusal.code == "receipt_mismatch"
    operation.refresh_from_db()
    assert operation.state == State.SENT_UNKNOWN
    assert operation.reviews.get().question == "receipt_mismatch"
    assert Receipt.objects.get(operation=operation).needs_explanation


def test_a_late_report_cannot_overwrite_a_newer_claim():
    operation, attempt = a_marked_operation()
    move_back(operation, 300)
    from operations.actions.take_slot import enter_claim, take_slot
    from operations.actors import Actor
    from operations.protocol.states import Purpose

    assert take_slot(
        operation_id=operation.pk, purpose=Purpose.RECONCILE, holder="r", lease_seconds=30
    )
    operation.refresh_from_db()
    enter_claim(operation, actor=Actor.system("r"), lease_seconds=30, nonce="")
    recorded = report(operation, a_receipt(operation), attempt.token)
    operation.refresh_from_db()
    assert recorded.refusal.code == "stale_claim"
    assert operation.state == State.SENT_UNKNOWN
    assert recorded.receipt.is_stale
    assert operation.next_try_at is not None


def test_a_foreign_token_is_refused_and_audited():
    operation, _ = a_marked_operation()
    _, other = a_marked_operation()
    with pytest.raises(StaleClaim):
        report(operation, a_receipt(operation), other.token)
    assert not Receipt.objects.filter(operation=operation).exists()


def test_an_end_without_receipt_leaves_the_state_unknown():
    operation, attempt = a_marked_operation()
    end_attempt(
        operation_id=operation.pk,
        actor=agent_actor(operation.agent),
        token=attempt.token,
        generation=1,
        outcome="unknown",
        detail="connection reset",
    )
    operation.refresh_from_db()
    assert operation.state == State.SENT_UNKNOWN
    assert attempt.ends.get().outcome == "unknown"


def test_one_effect_confirms_one_operation():
    first, _ = a_marked_operation()
    second, _ = a_marked_operation()
    receive(first, a_receipt(first, effect_id="eff-9"))
    recorded = receive(second, a_receipt(second, effect_id="eff-9"))
    assert recorded.verdict == Verdict.MISMATCH
    assert [each["pointer"] for each in recorded.differences] == ["effect_id"]
    second.refresh_from_db()
    assert second.state == State.SENT_UNKNOWN


def test_a_refund_from_100_waits_for_approval_and_cannot_be_claimed():
    operation = a_refund("100.00")
    assert operation.state == State.AWAITING_APPROVAL
    with pytest.raises(NotClaimable):
        a_claim(operation)
    assert a_refund("99.99").state == State.READY


def test_what_is_on_record_is_observed_when_its_receiver_is_not_configured_any_more(settings):
    agent = an_agent()
    operation = an_operation(agent=agent, key="k")
    receivers = {k: v for k, v in settings.OPSCONSOLE.receivers.items() if v.name != "sandbox"}
    settings.OPSCONSOLE = replace(settings.OPSCONSOLE, receivers=receivers)
    again = register_operation(actor=agent_actor(agent), registration=a_registration(key="k"))
    assert (again.operation.pk, again.is_new) == (operation.pk, False)
    with pytest.raises(UnknownReceiver):
        register_operation(actor=agent_actor(agent), registration=a_registration(key="another"))


def test_a_policy_that_came_after_the_registration_is_asked_at_the_mark(settings):
    operation = an_operation()
    claim = a_claim(operation)
    policy = Policy(name="every order", kinds=("supplier.order",))
    settings.OPSCONSOLE = replace(settings.OPSCONSOLE, policies=(policy,))
    with pytest.raises(ApprovalRequired):
        mark_attempt(
            operation_id=operation.pk, actor=agent_actor(operation.agent), token=claim.token
        )
    operation.refresh_from_db()
    assert operation.state == State.AWAITING_APPROVAL
    assert operation.approvals.get().policy_name == "every order"
    assert not operation.attempts.exists()
