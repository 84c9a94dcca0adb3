"""The one statement of the reconciler tells the same last call as the facts of a page do."""

from dataclasses import replace

import pytest
from pytest_django import DjangoAssertNumQueries

from operations.actions.close_attempt import close_attempt
from operations.actions.end_attempt import end_attempt
from operations.models import AttemptEnd, Operation
from operations.protocol.refusals import StaleClaim
from operations.queries.facts import facts_of
from operations.queries.last_call import last_call_of
from operations.registry import profile_of
from tests.build import a_marked_operation, agent_actor, an_operation, move_back
from tests.people import a_manual_unknown, an_approver, an_operator, look_up_nothing

pytestmark = pytest.mark.django_db


def told(operation: Operation) -> list[str]:
    """What the last call is, without keys and with them, once both ways agree on it."""
    attempt, facts, found = operation.attempts.get(), facts_of(operation), []
    for deduplicates in (False, True):
        profile = replace(profile_of(operation), deduplicates=deduplicates)
        last_at = last_call_of(operation, profile)
        assert last_at == facts.last_call_at(profile)
        found.append("deadline" if last_at == attempt.send_deadline_at else "end")
    return found


def end(operation: Operation) -> None:
    assert operation.agent is not None
    end_attempt(
        operation_id=operation.pk,
        actor=agent_actor(operation.agent),
        token=operation.attempts.get().token,
        generation=1,
        outcome="unknown",
        detail="timed out",
    )


def test_an_end_that_the_sender_reported_late() -> None:
    operation, _ = a_marked_operation()
    move_back(operation, 100)
    assert told(operation) == ["deadline", "deadline"]
    end(operation)
    assert told(operation) == ["end", "deadline"]


def test_a_report_that_was_not_current_any_more_is_no_end() -> None:
    operation, _ = a_marked_operation()
    move_back(operation, 100)
    look_up_nothing(operation)
    with pytest.raises(StaleClaim):
        end(operation)
    assert AttemptEnd.objects.get().is_stale
    assert told(operation) == ["deadline", "deadline"]


def test_two_people_close_it_and_one_does_not() -> None:
    operation = a_manual_unknown()
    for actor, says in ((an_operator(), "deadline"), (an_approver(), "end")):
        close_attempt(
            operation_id=operation.pk,
            actor=actor,
            version=operation.version,
            generation=1,
            reason="Its host was rebooted at nine.",
        )
        assert told(operation) == [says, "deadline"]


def test_without_an_attempt_it_is_the_registration() -> None:
    operation = an_operation()
    assert last_call_of(operation, profile_of(operation)) == operation.created_at


def test_it_takes_one_statement(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    operation, _ = a_marked_operation()
    profile = profile_of(operation)
    with django_assert_num_queries(1):
        last_call_of(operation, profile)
