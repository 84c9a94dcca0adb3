"""Lookups whose answer is not the end of it: pending, different, overtaken, or about the past."""

import pytest

from operations.actions.cancel_operation import cancel_operation
from operations.actions.dispatch_operation import dispatch_operation
from operations.actions.release_operation import release_operation
from operations.actions.request_lookup import request_lookup
from operations.actions.settle_review import settle_review
from operations.models import Operation
from operations.protocol.states import Channel, Finding, LookupResult, Question, State
from reconciliation.actions import reconcile_operation as reconciling
from reconciliation.actions.reconcile_operation import Reconciled, reconcile_operation
from tests.build import (
    a_console_operation,
    a_person,
    a_receipt,
    agent_actor,
    an_operation,
    as_actor,
    move_back,
    receive,
)
from tests.dispatching import dispatch
from tests.receiver import configure, requests_and_effects

pytestmark = pytest.mark.django_db


def a_lost_order(sandbox, fault: str, **given) -> Operation:
    operation = a_console_operation()
    sandbox.fault(operation.key, fault, **given)
    dispatch(operation)
    assert operation.state == State.SENT_UNKNOWN
    return operation


def reconcile(operation: Operation) -> Reconciled:
    outcome = reconcile_operation(operation_id=operation.pk, holder="worker-2")
    operation.refresh_from_db()
    return outcome


def questions(operation: Operation) -> list[str]:
    return sorted(r.question for r in operation.reviews.filter(closed_at=None))


def release(operation: Operation) -> None:
    operation.refresh_from_db()
    release_operation(
        operation_id=operation.pk,
        actor=as_actor(a_person("", "operator")),
        version=operation.version,
        reason="The receiver has nothing.",
    )


def a_cancelled_operation_corrected_to_confirmed() -> Operation:
    operation = an_operation()
    actor = agent_actor(operation.agent)
    cancel_operation(operation_id=operation.pk, actor=actor, version=1, reason="not wanted")
    receive(operation, a_receipt(operation), channel=Channel.WEBHOOK)
    operation.refresh_from_db()
    settle_review(
        operation_id=operation.pk,
        actor=as_actor(a_person("", "operator")),
        version=operation.version,
        review_id=operation.reviews.get().pk,
        finding=Finding.CORRECTED,
        reason="It is ours: somebody placed it by hand.",
    )
    operation.refresh_from_db()
    assert operation.state == State.CONFIRMED
    return operation


def test_a_record_that_stays_pending_closes_nothing_and_bumps_the_version_once(sandbox):
    operation = a_lost_order(sandbox, "pending")
    version = operation.version
    for _ in range(3):
        move_back(operation, 40)
        reconcile(operation)
    assert operation.state == State.SENT_UNKNOWN
    assert operation.version == version + 1
    assert operation.receipts.filter(channel=Channel.LOOKUP).count() == 1
    assert operation.lookups.filter(result=LookupResult.FOUND).count() == 3


def test_what_stays_pending_beyond_the_limit_goes_to_a_person(sandbox):
    operation = a_lost_order(sandbox, "pending")
    move_back(operation, 130)
    reconcile(operation)
    assert questions(operation) == [Question.UNKNOWN_OUTCOME]
    sandbox.clear_faults(operation.key)
    move_back(operation, 60)
    reconcile(operation)
    assert (operation.state, questions(operation)) == (State.CONFIRMED, [])


def test_a_record_with_another_payload_goes_to_a_person_once(sandbox):
    operation = a_lost_order(sandbox, "lose_reply")
    other = a_lost_order(sandbox, "change_payload")
    for _ in range(2):
        move_back(other, 60)
        reconcile(other)
    assert other.state == State.SENT_UNKNOWN
    assert questions(other) == [Question.RECEIPT_MISMATCH]
    assert other.reviews.count() == 1
    move_back(operation, 5)
    reconcile(operation)
    assert operation.state == State.CONFIRMED


def test_a_lookup_that_ends_after_a_release_leaves_it_due(sandbox, settings, monkeypatch):
    configure(settings, second_person=False)
    operation = a_lost_order(sandbox, "hang", seconds=0)
    move_back(operation, 60)
    reconcile(operation)
    move_back(operation, 50)

    def released_meanwhile(question):
        seen = ask(question)
        release(operation)
        return seen

    ask = reconciling.ask_receiver
    monkeypatch.setattr(reconciling, "ask_receiver", released_meanwhile)
    assert reconcile(operation) is Reconciled.LOOKED_UP
    assert (operation.state, operation.generation) == (State.READY, 2)
    assert operation.next_try_at is not None
    dispatch_operation(operation_id=operation.pk, holder="worker-1")
    operation.refresh_from_db()
    assert operation.state == State.CONFIRMED
    assert requests_and_effects(sandbox, operation) == (2, 1)


def test_an_answer_under_a_replaced_claim_is_kept_and_leaves_the_schedule(sandbox, monkeypatch):
    operation = a_lost_order(sandbox, "hang", seconds=0)
    move_back(operation, 5)

    def overtaken(question):
        seen = ask(question)
        move_back(operation, 60)
        monkeypatch.setattr(reconciling, "ask_receiver", ask)
        reconcile(operation)
        return seen

    ask = reconciling.ask_receiver
    monkeypatch.setattr(reconciling, "ask_receiver", overtaken)
    reconcile_operation(operation_id=operation.pk, holder="slow")
    next_try_at = operation.next_try_at
    operation.refresh_from_db()
    assert operation.lookups.count() == 2
    assert operation.next_try_at == next_try_at


def test_a_lookup_of_a_corrected_operation_that_was_never_sent(sandbox, settings):
    configure(settings, second_person=False)
    operation = a_cancelled_operation_corrected_to_confirmed()
    request_lookup(operation_id=operation.pk, actor=agent_actor(operation.agent))
    assert reconcile(operation) is Reconciled.LOOKED_UP
    assert (operation.state, operation.next_try_at) == (State.CONFIRMED, None)
