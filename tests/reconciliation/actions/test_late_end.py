"""Without keys a sender's late end begins the quarantine anew (decision 0009): who waits for it."""

from datetime import datetime, timedelta

import pytest

from operations.actions.end_attempt import end_attempt
from operations.models import Operation
from operations.protocol.states import Question
from operations.registry import profile_of
from reconciliation.actions.reconcile_operation import Reconciled, reconcile_operation
from tests.build import a_marked_operation, agent_actor, move_back
from tests.people import look_up_nothing
from tests.receiver import configure

pytestmark = pytest.mark.django_db
LATE_SECONDS = 600


def ended_late(**given) -> tuple[Operation, datetime]:
    """Sent; its sender says "unknown" only now. The operation, and when that quarantine is over."""
    operation, attempt = a_marked_operation(**given)
    move_back(operation, LATE_SECONDS)
    end_attempt(
        operation_id=operation.pk,
        actor=agent_actor(operation.agent),
        token=attempt.token,
        generation=1,
        outcome="unknown",
        detail="the machine stood still",
    )
    operation.refresh_from_db()
    profile = profile_of(operation)
    quarantine = profile.delivery_delay_seconds + profile.lookup_lag_seconds
    return operation, attempt.ends.get().at + timedelta(seconds=quarantine)


def questions(operation: Operation) -> list[str]:
    return sorted(r.question for r in operation.reviews.filter(closed_at=None))


def test_nothing_found_between_the_two_ends_asks_nobody_and_the_next_look_is_at_the_later(settings):
    configure(settings, deduplicates=False, dedup_window_seconds=None, lookup_interval_seconds=3600)
    operation, ends_at = ended_late()
    look_up_nothing(operation)
    assert questions(operation) == []
    assert operation.next_try_at == ends_at


def test_nothing_found_after_the_later_end_asks_a_person_and_names_it(settings):
    configure(settings, deduplicates=False, dedup_window_seconds=None)
    operation, ends_at = ended_late()
    move_back(operation, 60)
    look_up_nothing(operation)
    assert questions(operation) == [Question.UNKNOWN_OUTCOME]
    ended = ends_at - timedelta(seconds=60)
    assert f"that ended at {ended:%Y-%m-%d %H:%M:%S} UTC" in operation.reviews.get().reason


def test_with_keys_a_late_end_delays_nothing():
    operation, _ = ended_late()
    look_up_nothing(operation)
    assert questions(operation) == [Question.UNKNOWN_OUTCOME]


def test_a_receiver_that_can_not_be_looked_up_waits_for_the_later_end_too():
    operation, ends_at = ended_late(receiver="manual")
    assert reconcile_operation(operation_id=operation.pk, holder="w") is Reconciled.WAITS
    operation.refresh_from_db()
    assert operation.next_try_at == ends_at
    assert questions(operation) == []
    move_back(operation, 60)
    assert reconcile_operation(operation_id=operation.pk, holder="w") is Reconciled.PERSON_ASKED
    assert questions(operation) == [Question.UNKNOWN_OUTCOME]
