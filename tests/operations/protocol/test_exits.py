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


NEVER_SENT = (State.AWAITING_APPROVAL, State.READY)
WITHOUT_EFFECT = sorted(SETTLED_STATES - {State.CONFIRMED})
# Design section 6: the exits of each review, in the order in which a page shows them.
EXITS = {
    Question.UNKNOWN_OUTCOME: [],
    Question.CONTRADICTION: [Finding.STANDS, Finding.REVERSED, Finding.COMPENSATE],
    Question.DUPLICATE_EFFECT: [Finding.COMPENSATE, Finding.NOT_OURS],
    Question.STALLED: [Finding.RESUMED, Finding.STANDS],
}


@pytest.mark.parametrize(
    ("question", "state"), [(question, state) for question in EXITS for state in State]
)
def test_most_questions_have_the_same_exits_in_every_state(question, state):
    found = [way.finding for way in ways(question, state)]
    assert found == EXITS[question]


@pytest.mark.parametrize("state", list(State))
def test_a_duplicate_answer_is_resumed_only_while_the_outcome_is_open(state):
    found = [way.finding for way in ways(Question.DUPLICATE_ANSWER, state)]
    is_settled = state in SETTLED_STATES
    assert found == ([Finding.STANDS] if is_settled else [Finding.RESUMED, Finding.STANDS])


@pytest.mark.parametrize("state", [State.SENT_UNKNOWN, *NEVER_SENT, *WITHOUT_EFFECT])
def test_what_was_sent_may_be_a_mismatching_receipts_effect(state):
    found = [way.finding for way in ways(Question.RECEIPT_MISMATCH, state)]
    assert found == [Finding.NOT_OURS, Finding.CONFIRMED_ATTESTED]


@pytest.mark.parametrize("state", WITHOUT_EFFECT)
def test_a_settlement_without_attempts_can_be_attested_all_the_same(state):
    found = ways(Question.RECEIPT_MISMATCH, state, has_attempt=False)
    assert [way.finding for way in found] == [Finding.NOT_OURS, Finding.CONFIRMED_ATTESTED]


def test_a_receipt_beside_a_confirmed_effect_is_anothers_or_made_up_for():
    mismatch = [way.finding for way in ways(Question.RECEIPT_MISMATCH, State.CONFIRMED)]
    late = [way.finding for way in ways(Question.LATE_RECEIPT, State.CONFIRMED)]
    assert mismatch == [Finding.NOT_OURS, Finding.COMPENSATE]
    assert late == [Finding.NOT_OURS, Finding.STANDS, Finding.COMPENSATE]


@pytest.mark.parametrize("question", list(Question))
def test_a_question_about_another_operation_asks_whether_this_one_goes_on(question):
    found = ways(question, State.AWAITING_APPROVAL, is_about_other=True)
    assert [way.finding for way in found] == [Finding.NOT_OURS, Finding.STANDS]
    assert all(way.needs_second is True for way in found)
    assert all(way.sentence.endswith(".") for way in found)


def test_an_exit_takes_one_person_unless_it_says_otherwise():
    stalled = ways(Question.STALLED, State.READY)
    assert [way.needs_second for way in stalled] == [False, False]


@pytest.mark.parametrize(("question", "state"), list(itertools.product(Question, State)))
def test_every_exit_says_what_it_does_in_words_of_its_own(question, state):
    found = ways(question, state)
    assert all(way.sentence.endswith(".") for way in found)
    assert len({way.sentence for way in found}) == len(found)
