"""The exits of `stalled` and `duplicate_answer`: it goes on, or it is known and waits."""

import pytest

from operations import clock
from operations.actions.open_review import open_review
from operations.actions.record_refusal import record_refusal
from operations.actions.settle_review import settle_review
from operations.actors import Actor
from operations.models import Operation
from operations.protocol.states import Finding, Question, State
from tests.build import a_console_operation, a_marked_operation, agent_actor
from tests.people import an_operator, the_review

pytestmark = pytest.mark.django_db


def settle(operation, question, finding):
    settle_review(
        operation_id=operation.pk,
        actor=an_operator(),
        version=operation.version,
        review_id=the_review(operation, question).pk,
        finding=finding,
        reason="Asked the receiver.",
    )
    operation.refresh_from_db()


def test_a_duplicate_answer_is_looked_up_again():
    operation, attempt = a_marked_operation()
    record_refusal(
        operation_id=operation.pk,
        actor=agent_actor(operation.agent),
        token=attempt.token,
        status=409,
        code="duplicate",
        raw=b"{}",
    )
    operation.refresh_from_db()
    settle(operation, Question.DUPLICATE_ANSWER, Finding.RESUMED)
    assert operation.state == State.SENT_UNKNOWN
    assert operation.next_try_at <= clock.now()


def test_a_stalled_dispatch_is_resumed_with_its_count_at_zero():
    operation = a_console_operation()
    Operation.objects.filter(pk=operation.pk).update(claims_without_mark=3, next_try_at=None)
    stall(operation)
    settle(operation, Question.STALLED, Finding.RESUMED)
    assert (operation.claims_without_mark, operation.state) == (0, State.READY)
    assert operation.next_try_at <= clock.now()


def test_a_stalled_operation_may_wait_for_its_limit_once_more():
    operation = a_console_operation()
    stall(operation)
    before = clock.now()
    settle(operation, Question.STALLED, Finding.STANDS)
    assert (operation.next_try_at - before).total_seconds() > 100


def stall(operation):
    open_review(
        operation,
        Question.STALLED,
        reason="No request could be built.",
        actor=Actor.system("sweep"),
        at=clock.now(),
    )
    operation.refresh_from_db()
