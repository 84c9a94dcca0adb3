"""Unknown outcomes are looked up at the real sandbox; nothing is ever sent again."""

import pytest

from operations.actions.dispatch_operation import dispatch_operation
from operations.models import AuditEntry, Lookup, Operation
from operations.protocol.states import Channel, Grade, LookupResult, Question, State
from reconciliation.actions.reconcile_operation import Reconciled, reconcile_operation
from tests.build import a_console_operation, move_back
from tests.receiver import eventually, requests_and_effects

pytestmark = pytest.mark.django_db

QUARANTINE_SECONDS = 3  # send within 2 s, delivery delay 1 s


def a_lost_order(sandbox, fault: str = "lose_reply", **given) -> Operation:
    operation = a_console_operation()
    sandbox.fault(operation.key, fault, **given)
    dispatch_operation(operation_id=operation.pk, holder="worker-1")
    operation.refresh_from_db()
    assert operation.state == State.SENT_UNKNOWN
    return operation


def reconcile(operation: Operation) -> Reconciled:
    outcome = reconcile_operation(operation_id=operation.pk, holder="worker-2")
    operation.refresh_from_db()
    return outcome


def questions(operation: Operation) -> list[str]:
    return sorted(r.question for r in operation.reviews.filter(closed_at=None))


def test_no_lookup_before_the_send_deadline(sandbox):
    operation = a_lost_order(sandbox)
    assert reconcile(operation) is Reconciled.NOT_DUE
    assert not Lookup.objects.filter(operation=operation).exists()


def test_a_lost_reply_is_confirmed_by_the_lookup_and_sent_once(sandbox):
    operation = a_lost_order(sandbox)
    move_back(operation, 2)
    assert reconcile(operation) is Reconciled.LOOKED_UP
    assert (operation.state, operation.grade) == (State.CONFIRMED, Grade.RECEIPT)
    assert operation.next_try_at is None
    lookup = Lookup.objects.get(operation=operation)
    assert (lookup.result, lookup.receipt.channel) == (LookupResult.FOUND, Channel.LOOKUP)
    assert requests_and_effects(sandbox, operation) == (1, 1)


def test_not_found_within_the_quarantine_asks_nobody_and_looks_again(sandbox):
    operation = a_lost_order(sandbox, "hang", seconds=0)
    move_back(operation, 2)
    version = operation.version
    reconcile(operation)
    assert operation.state == State.SENT_UNKNOWN
    assert questions(operation) == []
    assert operation.version == version
    assert operation.next_try_at is not None


def test_not_found_after_the_quarantine_asks_a_person_once(sandbox):
    operation = a_lost_order(sandbox, "hang", seconds=0)
    for _ in range(2):
        move_back(operation, QUARANTINE_SECONDS + 60)
        assert reconcile(operation) is Reconciled.LOOKED_UP
    assert operation.state == State.SENT_UNKNOWN
    assert questions(operation) == [Question.UNKNOWN_OUTCOME]
    assert operation.reviews.count() == 1
    assert requests_and_effects(sandbox, operation) == (1, 0)
    entries = AuditEntry.objects.filter(operation=operation, event="open_review")
    assert entries.count() == 1


def test_a_record_that_turns_up_late_confirms_and_closes_the_question(sandbox):
    operation = a_lost_order(sandbox, "commit_late", seconds=1)
    move_back(operation, QUARANTINE_SECONDS)
    reconcile(operation)
    assert questions(operation) == [Question.UNKNOWN_OUTCOME]
    assert eventually(lambda: sandbox.ledger(operation.key)["effects"])
    move_back(operation, 60)
    reconcile(operation)
    assert operation.state == State.CONFIRMED
    assert questions(operation) == []
    assert requests_and_effects(sandbox, operation) == (1, 1)
