"""The queue as a column says what the protocol says, for operations in every queue."""

from datetime import timedelta

import pytest
from django.db import connection

from operations import clock
from operations.models import Operation
from operations.protocol.facts import as_read
from operations.protocol.queues import QueueFacts, queue
from operations.protocol.states import Queue, State
from operations.queries.facts import facts_of_many
from operations.queries.inbox import queue_counts
from operations.queries.queue_column import queue_column
from tests.build import (
    a_claim,
    a_console_operation,
    a_marked_operation,
    a_receipt,
    a_refund,
    an_operation,
    move_back,
    receive,
)
from tests.database import as_superuser
from tests.people import a_mismatch, an_unknown_outcome

pytestmark = pytest.mark.django_db


def everything() -> None:
    """Operations in each queue, some of them in ways that are easy to miss."""
    an_operation()
    a_console_operation()
    a_refund()
    overdue = a_refund()
    move_back(overdue, 4000)
    a_claim(an_operation())
    lapsed = an_operation()
    a_claim(lapsed)
    move_back(lapsed, 100)
    a_marked_operation()
    an_unknown_outcome()
    a_mismatch()
    operation, _ = a_marked_operation()
    receive(operation, a_receipt(operation))
    move_back(operation, 1000)


def test_the_column_and_the_protocol_agree() -> None:
    everything()
    now = clock.now()
    rows = list(Operation.objects.annotate(in_queue=queue_column(now)))
    facts = facts_of_many(rows)
    told = {row.key: str(row.in_queue) for row in rows}
    assert told == {
        row.key: str(queue(QueueFacts.of(as_read(facts[row.pk], now)), now)) for row in rows
    }
    assert set(told.values()) >= {
        "unresolved",
        "waiting_for_approval",
        "running",
        "due",
        "done",
    }


@pytest.mark.parametrize("state", list(State))
@pytest.mark.parametrize("is_due", [None, -5, 5])
@pytest.mark.parametrize("lease", [None, -5, 5])
def test_state_schedule_and_lease_in_every_combination(state, is_due, lease) -> None:
    operation = an_operation()
    now = clock.now()
    values = {
        "state": str(state),
        "cause": "withdrawn" if state is State.CANCELLED else "",
        "grade": "receipt" if state is State.CONFIRMED else "",
        "effect_id": operation.key if state is State.CONFIRMED else "",
        "next_try_at": None if is_due is None else now + timedelta(seconds=is_due),
        "claim_expires_at": None if lease is None else now + timedelta(seconds=lease),
        "claim_token": None if lease is None else 1,
        "claim_holder": "" if lease is None else "worker",
        "claim_purpose": "" if lease is None else "dispatch",
    }
    sets = ", ".join(f"{name} = %({name})s" for name in values)
    with as_superuser(connection) as cursor:
        cursor.execute(
            f"UPDATE operations_operation SET {sets} WHERE id = %(id)s",
            values | {"id": operation.pk},
        )
    row = Operation.objects.annotate(in_queue=queue_column(now)).get(pk=operation.pk)
    facts = QueueFacts.of(facts_of_many([row])[row.pk])
    assert row.in_queue == str(queue(facts, now))


def test_the_counts_leave_out_only_what_is_done() -> None:
    everything()
    now = clock.now()
    counted = queue_counts(environment="", now=now)
    rows = Operation.objects.annotate(in_queue=queue_column(now)).values_list("in_queue", flat=True)
    found = list(rows)
    assert Queue.DONE not in counted
    assert counted == {q: found.count(str(q)) for q in Queue if q is not Queue.DONE}
