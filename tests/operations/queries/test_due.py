"""What the sweep of lookups finds: by turns of the receivers, the longest due first in each."""

import pytest

from operations import clock
from operations.actions.record_receipt import record_receipt
from operations.models import Operation
from operations.protocol.receipts import parse_receipt
from operations.protocol.states import Channel
from operations.queries.due import due_for_reconcile
from tests.build import a_marked_operation, a_receipt, agent_actor, move_back

pytestmark = pytest.mark.django_db


def due(environment: str, seconds: int) -> Operation:
    operation, _ = a_marked_operation(environment=environment)
    move_back(operation, 100 + seconds)
    return operation


def reported(seconds: int) -> Operation:
    """Confirmed by its agent's own word, which is to be looked up."""
    operation, attempt = a_marked_operation()
    record_receipt(
        operation_id=operation.pk,
        value=parse_receipt(a_receipt(operation)),
        channel=Channel.RESPONSE,
        raw=b"",
        actor=agent_actor(operation.agent),
        token=attempt.token,
    )
    move_back(operation, 100 + seconds)
    return operation


def found(limit: int) -> list:
    return due_for_reconcile(now=clock.now(), limit=limit)


def test_a_long_queue_of_one_receiver_keeps_none_of_anothers_waiting():
    slow = [due("production", 500 - number) for number in range(4)]
    other = due("staging", 0)
    assert found(2) == [slow[0].pk, other.pk]
    assert found(3) == [slow[0].pk, other.pk, slow[1].pk]


def test_all_that_fit_in_are_found_by_turns():
    slow = [due("production", 500 - number) for number in range(3)]
    others = [due("staging", 50 - number) for number in range(2)]
    wanted = [slow[0], others[0], slow[1], others[1], slow[2]]
    assert found(10) == [each.pk for each in wanted]


def test_one_statement_where_they_fit_in(django_assert_num_queries):
    due("production", 1)
    due("staging", 1)
    now = clock.now()
    with django_assert_num_queries(2):  # unknown outcomes, and reported ones
        due_for_reconcile(now=now, limit=10)


def test_every_fourth_is_a_reported_confirmation_however_many_are_unknown():
    unknown = [due("production", 500 - number).pk for number in range(5)]
    told = [reported(50 - number).pk for number in range(3)]
    assert found(4) == [*unknown[:3], told[0]]
    assert found(6) == [*unknown[:3], told[0], *unknown[3:]]
    assert found(8) == [*unknown[:3], told[0], *unknown[3:], *told[1:]]
    assert found(10) == found(8)
