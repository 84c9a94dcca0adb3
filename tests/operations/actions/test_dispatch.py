"""The console's own dispatch against the real sandbox: every fault, requests and effects counted."""

import pytest

from operations.actions.dispatch_operation import Dispatched, dispatch_operation
from operations.models import AttemptEnd, AuditEntry, Claim, Operation
from operations.protocol.states import AttemptOutcome, Grade, Question, State
from tests.build import a_console_operation
from tests.receiver import configure, requests_and_effects, sandbox_fixture, sandbox_process_fixture

__all__ = ["sandbox_fixture", "sandbox_process_fixture"]

pytestmark = pytest.mark.django_db


def dispatch(operation: Operation) -> Dispatched:
    outcome = dispatch_operation(operation_id=operation.pk, holder="worker-1")
    operation.refresh_from_db()
    return outcome


def the_end(operation: Operation) -> AttemptEnd:
    return AttemptEnd.objects.get(attempt__operation=operation)


def test_an_answered_order_is_confirmed_by_its_receipt(sandbox):
    operation = a_console_operation()
    assert dispatch(operation) is Dispatched.CALLED
    assert (operation.state, operation.grade) == (State.CONFIRMED, Grade.RECEIPT)
    assert [operation.effect_id] == sandbox.ledger(operation.key)["effects"]
    assert requests_and_effects(sandbox, operation) == (1, 1)
    assert the_end(operation).outcome == AttemptOutcome.RECEIPT


def test_a_second_dispatch_finds_nothing_to_do(sandbox):
    operation = a_console_operation()
    dispatch(operation)
    assert dispatch(operation) is Dispatched.NOT_DUE
    assert requests_and_effects(sandbox, operation) == (1, 1)
    assert Claim.objects.filter(operation=operation).count() == 1


def test_the_trail_of_a_dispatch_is_claim_mark_confirm(sandbox):
    operation = a_console_operation()
    dispatch(operation)
    events = AuditEntry.objects.filter(operation=operation).order_by("seq")
    assert [e.event for e in events] == ["register", "claim", "mark", "confirm"]
    assert [e.actor_id for e in events][1:] == ["dispatcher"] * 3


@pytest.mark.parametrize(
    ("fault", "effects"),
    [
        ("lose_reply", 1),
        ("reset", 1),
        ("error_after_commit", 1),
        ("garbage_reply", 1),
        ("redirect", 0),
        ("commit_late", 0),
    ],
)
def test_without_a_whole_receipt_the_outcome_stays_unknown(sandbox, fault, effects):
    operation = a_console_operation()
    sandbox.fault(operation.key, fault)
    assert dispatch(operation) is Dispatched.CALLED
    assert operation.state == State.SENT_UNKNOWN
    assert the_end(operation).outcome == AttemptOutcome.UNKNOWN
    assert requests_and_effects(sandbox, operation) == (1, effects)
    assert dispatch(operation) is Dispatched.NOT_DUE
