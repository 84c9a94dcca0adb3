"""What waits too long is shown to a person, once, and nothing else changes."""

from datetime import timedelta

import pytest

from operations import clock
from operations.actions.give_back_claim import give_back_claim
from operations.actions.stall_overdue import stall_overdue
from operations.models import Halt, Operation
from operations.protocol.states import Question, State
from tests.build import (
    a_claim,
    a_console_operation,
    a_marked_operation,
    agent_actor,
    an_operation,
    move_back,
)

pytestmark = pytest.mark.django_db

LIMIT_SECONDS = 120  # due_limit_seconds of the sandbox in opsconsole.toml


def sweep() -> int:
    return stall_overdue(limit=100)


def the_review(operation: Operation):
    return operation.reviews.get(question=Question.STALLED)


def test_an_order_that_no_worker_took_is_stalled_once_with_the_reason():
    operation = a_console_operation()
    move_back(operation, LIMIT_SECONDS + 1)
    assert (sweep(), sweep()) == (1, 0)
    operation.refresh_from_db()
    assert operation.state == State.READY
    assert "nobody took it, longer than the limit of 120 s" in the_review(operation).reason


def test_an_unknown_outcome_that_nobody_looked_up_is_stalled():
    operation, _ = a_marked_operation()
    move_back(operation, LIMIT_SECONDS + 70)
    assert sweep() == 1
    operation.refresh_from_db()
    assert operation.state == State.SENT_UNKNOWN


def test_within_the_limit_nothing_is_stalled():
    operation = a_console_operation()
    move_back(operation, LIMIT_SECONDS - 5)
    assert sweep() == 0


def test_an_agents_own_order_may_wait_for_its_agent():
    operation = an_operation()
    move_back(operation, 10 * LIMIT_SECONDS)
    assert sweep() == 0


def test_one_that_was_claimed_three_times_without_a_mark_is_stalled():
    operation = an_operation()
    for _ in range(3):
        claim = a_claim(operation)
        assert sweep() == 0  # it is in somebody's hands
        actor = agent_actor(operation.agent)
        give_back_claim(operation_id=operation.pk, actor=actor, token=claim.token)
    assert sweep() == 1
    assert "3 times" in the_review(operation).reason


@pytest.mark.parametrize("scope", [{}, {"environment": "production"}, {"receiver": "sandbox"}])
def test_what_a_halt_holds_back_is_not_called_stalled(scope):
    operation = a_console_operation()
    Halt.objects.create(reason="maintenance", at=clock.now() - timedelta(hours=1), **scope)
    move_back(operation, LIMIT_SECONDS + 1)
    assert sweep() == 0


def test_a_halt_elsewhere_is_no_reason_to_wait():
    operation = a_console_operation()
    Halt.objects.create(reason="maintenance", at=clock.now(), environment="staging")
    move_back(operation, LIMIT_SECONDS + 1)
    assert sweep() == 1


@pytest.mark.parametrize("build", [a_console_operation, lambda: a_marked_operation()[0]])
def test_a_row_that_no_sweep_would_find_is_shown_to_people(build):
    operation = build()
    Operation.objects.filter(pk=operation.pk).update(
        next_try_at=None, updated_at=clock.now() - timedelta(seconds=LIMIT_SECONDS + 70)
    )
    move_back(operation, LIMIT_SECONDS)
    assert (sweep(), sweep()) == (1, 0)
    assert the_review(operation).reason == "Nothing is scheduled for it, and nobody was asked."
