from typing import Any

import pytest

from operations.protocol.queues import QueueFacts, queue, why_stalled
from operations.protocol.states import (
    SETTLED_STATES,
    LookupResult,
    Question,
    Queue,
    State,
)

from .build import MARKED_AT, a_lookup, a_profile, after, facts_of, never_sent

NOW = MARKED_AT
AHEAD = after(NOW, 1)


def placed(state: State, *questions: Question, **changes: Any) -> Queue:
    facts = QueueFacts(
        **{
            "state": state,
            "open_questions": frozenset(questions),
            "machine_claim_expires_at": None,
            "next_try_at": None,
            **changes,
        }
    )
    return queue(facts, NOW)


BY_STATE_ALONE = {
    State.AWAITING_APPROVAL: Queue.WAITING_FOR_APPROVAL,
    State.READY: Queue.DUE,
    State.SENT_UNKNOWN: Queue.DUE,
    State.CONFIRMED: Queue.DONE,
    State.REFUSED: Queue.DONE,
    State.NOT_EXECUTED: Queue.DONE,
    State.CANCELLED: Queue.DONE,
}


@pytest.mark.parametrize("state", list(State))
def test_every_state_has_its_queue(state: State) -> None:
    assert placed(state) is BY_STATE_ALONE[state]


@pytest.mark.parametrize("question", list(Question))
def test_an_open_question_comes_first_in_every_state(question: Question) -> None:
    places = {
        placed(state, question, machine_claim_expires_at=AHEAD, next_try_at=AHEAD)
        for state in State
    }
    assert places == {Queue.STALLED if question is Question.STALLED else Queue.UNRESOLVED}


def test_unresolved_comes_before_stalled() -> None:
    assert placed(State.READY, Question.STALLED, Question.CONTRADICTION) is Queue.UNRESOLVED


@pytest.mark.parametrize("state", list(State))
def test_a_live_claim_is_running_and_a_later_try_is_scheduled(state: State) -> None:
    running = placed(state, machine_claim_expires_at=AHEAD, next_try_at=AHEAD)
    scheduled = placed(state, machine_claim_expires_at=NOW, next_try_at=AHEAD)
    waits = state is State.AWAITING_APPROVAL
    assert running is (Queue.WAITING_FOR_APPROVAL if waits else Queue.RUNNING)
    assert scheduled is (Queue.WAITING_FOR_APPROVAL if waits else Queue.SCHEDULED)


def test_a_try_is_due_at_its_very_instant() -> None:
    assert placed(State.SENT_UNKNOWN, next_try_at=NOW) is Queue.DUE


def test_a_settled_operation_may_have_a_lookup_due() -> None:
    assert placed(State.CONFIRMED, next_try_at=NOW) is Queue.DUE


def test_every_queue_is_reached_and_open_operations_are_never_done() -> None:
    reached = {placed(state) for state in State if state not in SETTLED_STATES}
    assert Queue.DONE not in reached


def test_queue_facts_are_taken_from_a_snapshot() -> None:
    facts = facts_of(next_try_at=AHEAD)
    assert queue(QueueFacts.of(facts), NOW) is Queue.SCHEDULED


def test_a_snapshots_state_and_claim_count_too() -> None:
    waiting = never_sent(State.AWAITING_APPROVAL)
    assert queue(QueueFacts.of(waiting), NOW) is Queue.WAITING_FOR_APPROVAL
    assert queue(QueueFacts.of(facts_of(machine_claim_expires_at=AHEAD)), NOW) is Queue.RUNNING


@pytest.mark.parametrize(("count", "is_stalled"), [(4, False), (5, True)])
def test_claims_without_a_mark_stall(*, count: int, is_stalled: bool) -> None:
    reason = why_stalled(never_sent(State.READY, claims_without_mark=count), a_profile(), NOW)
    assert reason == ("It was claimed 5 times without a mark." if is_stalled else None)


@pytest.mark.parametrize(("seconds", "is_stalled"), [(299, False), (300, True)])
def test_being_due_too_long_stalls(*, seconds: int, is_stalled: bool) -> None:
    facts = facts_of(next_try_at=after(NOW, -seconds))
    reason = why_stalled(facts, a_profile(), NOW)
    assert reason == (
        "It was due at 09:53:41 UTC and nobody took it, longer than the limit of 300 s. "
        "No worker is free, or sandbox answers no lookup."
        if is_stalled
        else None
    )


def test_what_runs_is_not_overdue() -> None:
    facts = facts_of(next_try_at=after(NOW, -999), machine_claim_expires_at=AHEAD)
    assert why_stalled(facts, a_profile(), NOW) is None


@pytest.mark.parametrize(("seconds", "is_stalled"), [(899, False), (900, True)])
def test_not_being_able_to_ask_for_too_long_stalls(*, seconds: int, is_stalled: bool) -> None:
    facts = facts_of(
        lookups=(
            a_lookup(after(NOW, -1), LookupResult.COULD_NOT_ASK),
            a_lookup(after(NOW, -2000), LookupResult.NOT_FOUND),
            a_lookup(after(NOW, -seconds), LookupResult.COULD_NOT_ASK),
            a_lookup(after(NOW, -3000), LookupResult.COULD_NOT_ASK),
        )
    )
    reason = why_stalled(facts, a_profile(), NOW)
    assert reason == (
        "The receiver could not be asked since 09:43:41 UTC, longer than the limit of 900 s."
        if is_stalled
        else None
    )


@pytest.mark.parametrize("state", sorted(SETTLED_STATES))
def test_a_settled_operation_never_stalls(state: State) -> None:
    facts = facts_of(state=state, next_try_at=after(NOW, -9999), claims_without_mark=99)
    assert why_stalled(facts, a_profile(), NOW) is None


def test_claims_stall_only_what_is_to_be_marked_and_lookups_only_what_is_unknown() -> None:
    assert why_stalled(facts_of(claims_without_mark=99), a_profile(), NOW) is None
    unasked = (a_lookup(after(NOW, -9999), LookupResult.COULD_NOT_ASK),)
    assert why_stalled(never_sent(State.READY, lookups=unasked), a_profile(), NOW) is None
