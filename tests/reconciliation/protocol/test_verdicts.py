"""What a lookup means: the three answers in every state, and never a way back to a send."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest

from operations.protocol.profiles import Profile
from operations.protocol.states import Grade, LookupResult, Question, State
from reconciliation.protocol.schedule import Pace
from reconciliation.protocol.verdicts import (
    Conclusion,
    Looked,
    conclude,
    conclude_without_lookup,
)

DEADLINE = datetime(2025, 11, 30, 12, tzinfo=UTC)
PROFILE = Profile(
    receiver="shop",
    connector="sandbox",
    has_lookup=True,
    delivery_delay_seconds=15,
    lookup_lag_seconds=5,
    lookup_limit_seconds=100,
)
QUARANTINE_ENDS = DEADLINE + timedelta(seconds=20)


def looked(**given) -> Looked:
    values = {
        "state": State.SENT_UNKNOWN,
        "grade": None,
        "state_since": DEADLINE,
        "last_call_at": DEADLINE,
        "result": LookupResult.NOT_FOUND,
        "asked_at": QUARANTINE_ENDS,
        "could_not_ask_since": None,
        "open_questions": frozenset(),
        **given,
    }
    return Looked(**values)


def reported(**given) -> Looked:
    return looked(state=State.CONFIRMED, grade=Grade.RECEIPT_REPORTED, **given)


def test_not_found_counts_only_when_it_was_asked_after_the_quarantine():
    early = conclude(looked(asked_at=QUARANTINE_ENDS - timedelta(microseconds=1)), PROFILE)
    assert (early.pace, early.question) == (Pace.GROWING, None)
    late = conclude(looked(), PROFILE)
    assert (late.pace, late.question) == (Pace.SLOW, Question.UNKNOWN_OUTCOME)
    assert "shop had nothing under this key at 2025-11-30 12:00:20 UTC" in late.reason


def test_not_found_between_the_deadlines_quarantine_and_the_senders_is_no_absence():
    """Without keys the last call counts, and a late end is the last call (decision 0009)."""
    late = DEADLINE + timedelta(minutes=10)
    between = conclude(looked(last_call_at=late, asked_at=DEADLINE + timedelta(minutes=5)), PROFILE)
    assert between == Conclusion(pace=Pace.GROWING)
    after = conclude(looked(last_call_at=late, asked_at=late + timedelta(seconds=20)), PROFILE)
    assert after.question is Question.UNKNOWN_OUTCOME
    assert "after the quarantine that ended at 2025-11-30 12:10:20 UTC" in after.reason
    at_once = conclude_without_lookup(PROFILE, last_call_at=late, now=QUARANTINE_ENDS)
    assert at_once is None


def test_could_not_ask_is_not_not_found_however_late():
    asked = looked(
        result=LookupResult.COULD_NOT_ASK, could_not_ask_since=QUARANTINE_ENDS, detail="HTTP 500"
    )
    assert conclude(asked, PROFILE).question is None


def test_could_not_ask_beyond_its_limit_is_stalled_with_the_reason():
    asked = looked(
        result=LookupResult.COULD_NOT_ASK,
        could_not_ask_since=QUARANTINE_ENDS - timedelta(seconds=100),
        detail="HTTP 500",
    )
    conclusion = conclude(asked, PROFILE)
    assert (conclusion.pace, conclusion.question) == (Pace.SLOW, Question.STALLED)
    assert conclusion.reason.endswith("longer than the limit of 100 s: HTTP 500")


def test_found_but_not_settled_goes_on_looking():
    assert conclude(looked(result=LookupResult.FOUND), PROFILE).pace is Pace.GROWING
    asked = looked(result=LookupResult.FOUND, open_questions={Question.RECEIPT_MISMATCH})
    assert conclude(asked, PROFILE).pace is Pace.SLOW


def test_a_record_that_is_not_final_beyond_the_limit_goes_to_a_person():
    asked = looked(result=LookupResult.FOUND, asked_at=DEADLINE + timedelta(seconds=100))
    conclusion = conclude(asked, PROFILE)
    assert (conclusion.pace, conclusion.question) == (Pace.SLOW, Question.UNKNOWN_OUTCOME)


@pytest.mark.parametrize("question", [Question.DUPLICATE_ANSWER, Question.STALLED])
def test_a_question_that_a_lookup_may_answer_slows_nothing(question):
    asked = looked(result=LookupResult.FOUND, open_questions={question})
    assert conclude(asked, PROFILE).pace is Pace.GROWING


def test_a_confirmation_that_a_person_is_asked_about_is_not_looked_at_again():
    asked = reported(result=LookupResult.COULD_NOT_ASK, open_questions={Question.CONTRADICTION})
    assert conclude(asked, PROFILE).pace is Pace.STOP


def test_absence_contradicts_what_only_an_agent_reported():
    conclusion = conclude(reported(), PROFILE)
    assert (conclusion.pace, conclusion.question) == (Pace.STOP, Question.CONTRADICTION)


def test_absence_before_the_lookup_lag_is_over_contradicts_nothing():
    profile = replace(PROFILE, lookup_lag_seconds=20)
    for seconds, question in ((19, None), (20, Question.CONTRADICTION)):
        asked = reported(asked_at=DEADLINE + timedelta(seconds=seconds), state_since=DEADLINE)
        assert conclude(asked, profile).question is question


def test_a_reported_confirmation_may_stay_pending_only_so_long():
    waiting = reported(result=LookupResult.FOUND)
    assert conclude(waiting, PROFILE).pace is Pace.GROWING
    over = reported(result=LookupResult.FOUND, asked_at=DEADLINE + timedelta(seconds=100))
    assert conclude(over, PROFILE).question is Question.CONTRADICTION


@pytest.mark.parametrize("grade", [Grade.RECEIPT, Grade.ATTESTED])
@pytest.mark.parametrize("result", list(LookupResult))
def test_what_is_known_otherwise_is_not_doubted_by_a_lookup(grade, result):
    conclusion = conclude(looked(state=State.CONFIRMED, grade=grade, result=result), PROFILE)
    assert (conclusion.pace, conclusion.question) == (Pace.STOP, None)


@pytest.mark.parametrize(("state", "result"), list(product(State, LookupResult)))
def test_only_an_open_outcome_is_looked_at_again(state, result):
    grade = Grade.RECEIPT if state is State.CONFIRMED else None
    conclusion = conclude(looked(state=state, result=result, grade=grade), PROFILE)
    assert (conclusion.pace is Pace.STOP) == (state is not State.SENT_UNKNOWN)


def test_without_a_lookup_a_person_is_asked_when_the_quarantine_is_over():
    before = QUARANTINE_ENDS - timedelta(seconds=1)
    assert conclude_without_lookup(PROFILE, last_call_at=DEADLINE, now=before) is None
    conclusion = conclude_without_lookup(PROFILE, last_call_at=DEADLINE, now=QUARANTINE_ENDS)
    assert conclusion is not None
    assert (conclusion.pace, conclusion.question) == (Pace.STOP, Question.UNKNOWN_OUTCOME)


def test_a_receiver_that_could_not_be_asked_denies_nothing_that_was_reported():
    asked = reported(result=LookupResult.COULD_NOT_ASK, could_not_ask_since=QUARANTINE_ENDS)
    assert conclude(asked, PROFILE) == Conclusion(pace=Pace.GROWING)
    long_since = replace(asked, could_not_ask_since=QUARANTINE_ENDS - timedelta(seconds=100))
    assert conclude(long_since, PROFILE) == Conclusion(
        pace=Pace.SLOW,
        question=Question.STALLED,
        reason="shop could not be asked since 2025-11-30 11:58:40 UTC, longer than the limit "
        "of 100 s: ",
    )


@pytest.mark.parametrize("question", [None, Question.UNKNOWN_OUTCOME])
def test_could_not_ask_keeps_the_pace_within_its_limit(question):
    asked = looked(
        result=LookupResult.COULD_NOT_ASK, open_questions=frozenset(filter(None, [question]))
    )
    slow_or_growing = Pace.SLOW if question else Pace.GROWING
    assert conclude(asked, PROFILE) == Conclusion(pace=slow_or_growing)


@pytest.mark.parametrize("question", [Question.UNKNOWN_OUTCOME, Question.RECEIPT_MISMATCH])
def test_a_person_who_is_asked_about_the_outcome_is_not_asked_twice(question):
    asked = looked(
        result=LookupResult.FOUND,
        asked_at=DEADLINE + timedelta(seconds=100),
        open_questions=frozenset({question}),
    )
    assert conclude(asked, PROFILE) == Conclusion(pace=Pace.SLOW)


@pytest.mark.parametrize("question", list(Question))
def test_a_doubt_about_a_reported_effect_that_a_person_has_stops_the_looking(question):
    conclusion = conclude(reported(open_questions=frozenset({question})), PROFILE)
    has_the_doubt = question in {
        Question.CONTRADICTION,
        Question.DUPLICATE_EFFECT,
        Question.RECEIPT_MISMATCH,
    }
    assert (conclusion == Conclusion(pace=Pace.STOP)) is has_the_doubt


def test_a_lookup_within_the_lag_denies_nothing():
    early = reported(asked_at=DEADLINE + timedelta(seconds=4))
    assert conclude(early, PROFILE) == Conclusion(pace=Pace.GROWING)


def test_every_question_comes_with_its_reason():
    assert Conclusion(pace=Pace.STOP).reason == ""
    late = DEADLINE + timedelta(seconds=100)
    assert conclude(reported(), PROFILE) == Conclusion(
        pace=Pace.STOP,
        question=Question.CONTRADICTION,
        reason="An agent reported a receipt, but shop had nothing under this key "
        "at 2025-11-30 12:00:20 UTC.",
    )
    assert conclude(reported(result=LookupResult.FOUND, asked_at=late), PROFILE) == Conclusion(
        pace=Pace.STOP,
        question=Question.CONTRADICTION,
        reason="An agent reported a confirmed receipt, but shop has not confirmed it within 100 s.",
    )
    assert conclude(looked(result=LookupResult.FOUND, asked_at=late), PROFILE) == Conclusion(
        pace=Pace.SLOW,
        question=Question.UNKNOWN_OUTCOME,
        reason="shop has a record under this key and has not called it final within 100 s.",
    )
    asked = conclude_without_lookup(PROFILE, last_call_at=DEADLINE, now=QUARANTINE_ENDS)
    assert asked == Conclusion(
        pace=Pace.STOP,
        question=Question.UNKNOWN_OUTCOME,
        reason="shop can't be looked up, and no receipt came.",
    )
