"""A halt waits for the marks under way; after its commit none goes through."""

import threading
from functools import partial

import pytest
from django.db import connection, transaction

from operations.actions.halt_dispatch import halt_dispatch
from operations.actions.mark_attempt import HALT_LOCK, mark_attempt
from operations.models import Attempt, Halt
from operations.protocol.refusals import Halted
from tests.build import a_claim, agent_actor, an_operation
from tests.people import an_operator
from tests.racing import race, refusals

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.race]


def a_mark(operation):
    claim = a_claim(operation)
    return partial(
        mark_attempt,
        operation_id=operation.pk,
        actor=agent_actor(operation.agent),
        token=claim.token,
    )


def test_every_mark_is_before_the_halt_or_refused_by_it():
    marks = [a_mark(an_operation()) for _ in range(6)]
    halt = partial(halt_dispatch, actor=an_operator(), reason="Wrong prices.")
    outcomes = race(*marks[:3], halt, *marks[3:])
    refused = refusals(outcomes)
    assert all(isinstance(refusal, Halted) for refusal in refused)
    at = Halt.objects.get().at
    marked = Attempt.objects.values_list("marked_at", flat=True)
    assert len(marked) + len(refused) == len(marks)
    assert all(instant < at for instant in marked)


def test_a_halt_waits_for_a_mark_that_is_not_committed_yet():
    has_lock, may_commit = threading.Event(), threading.Event()
    order: list[str] = []

    def a_slow_mark():
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock_shared(%s)", [HALT_LOCK])
            has_lock.set()
            may_commit.wait(1.5)
            order.append("mark")

    def halt():
        has_lock.wait(5)
        threading.Timer(0.3, may_commit.set).start()
        halt_dispatch(actor=actor, reason="Wrong prices.")
        order.append("halt")

    actor = an_operator()
    race(a_slow_mark, halt)
    assert order == ["mark", "halt"]
