"""Every question has a way out in every state (rule 15)."""

import itertools

import pytest

from operations.protocol.exits import exits
from operations.protocol.states import SETTLED_STATES, Finding, Question, State

CONFIRMING = {Finding.CONFIRMED_ATTESTED, Finding.CORRECTED}


def ways(question, state, *, has_attempt=True, is_about_other=False):
    return exits(question, state=state, has_attempt=has_attempt, is_about_other=is_about_other)


@pytest.mark.parametrize(
    ("question", "state", "has_attempt"), list(itertools.product(Question, State, (True, False)))
)
def test_every_question_but_that_of_the_outcome_has_an_exit_in_every_state(
    question, state, has_attempt
):
    found = ways(question, state, has_attempt=has_attempt)
    assert bool(found) is (question is not Question.UNKNOWN_OUTCOME)
    assert len({way.finding for way in found}) == len(found)


@pytest.mark.parametrize(("question", "state"), list(itertools.product(Question, State)))
def test_an_exit_that_confirms_takes_two(question, state):
    for way in ways(question, state):
        assert way.needs_second is (way.finding in CONFIRMING)


@pytest.mark.parametrize("question", Question)
def test_a_confirmed_operation_is_not_confirmed_again(question):
    assert not CONFIRMING & {way.finding for way in ways(question, State.CONFIRMED)}


@pytest.mark.parametrize("state", [State.READY, State.AWAITING_APPROVAL])
def test_what_was_never_sent_is_confirmed_by_no_receipt(state):
    found = ways(Question.RECEIPT_MISMATCH, state, has_attempt=False)
    assert [way.finding for way in found] == [Finding.NOT_OURS]


@pytest.mark.parametrize("state", sorted(SETTLED_STATES - {State.CONFIRMED}))
def test_a_late_receipt_corrects_or_is_anothers(state):
    found = ways(Question.LATE_RECEIPT, state)
    assert [way.finding for way in found] == [Finding.CORRECTED, Finding.NOT_OURS]


@pytest.mark.parametrize("state", State)
def test_a_successor_goes_on_only_when_two_people_say_so(state):
    found = ways(Question.LATE_RECEIPT, state, is_about_other=True)
    assert all(way.needs_second for way in found)
    assert not CONFIRMING & {way.finding for way in found}
