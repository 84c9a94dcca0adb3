from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from operations.protocol.choices import executed, next_action
from operations.protocol.facts import Facts, as_read
from operations.protocol.next_actions import NextAction
from operations.protocol.states import (
    ApprovalStatus,
    Cause,
    Executor,
    Grade,
    NextActionCode,
    Purpose,
    Question,
    State,
)

from .build import (
    QUARANTINE_ENDS_AT,
    SEND_DEADLINE_AT,
    a_profile,
    a_receipt,
    after,
    facts_of,
    never_sent,
    without_keys,
)

NOW = after(SEND_DEADLINE_AT, 10)
AHEAD = after(NOW, 30)
WAITING = never_sent(State.AWAITING_APPROVAL, approval_expires_at=after(NOW, 3600))
READY = never_sent(State.READY)


def told(facts: Facts, now: datetime = NOW, **profile: Any) -> NextAction:
    return next_action(facts, a_profile(**profile), now)


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        (WAITING, NextActionCode.WAIT_FOR_APPROVAL),
        (READY, NextActionCode.CLAIM),
        (facts_of(), NextActionCode.WAIT_FOR_SETTLEMENT),
        (facts_of(state=State.CONFIRMED, grade=Grade.RECEIPT), NextActionCode.DONE),
        (facts_of(state=State.REFUSED), NextActionCode.SUBMIT_NEW),
        (facts_of(state=State.NOT_EXECUTED), NextActionCode.SUBMIT_NEW),
        (never_sent(State.CANCELLED, cause=Cause.EXPIRED), NextActionCode.SUBMIT_NEW),
        (never_sent(State.CANCELLED, cause=Cause.REJECTED), NextActionCode.DONE),
        (never_sent(State.CANCELLED, cause=Cause.WITHDRAWN), NextActionCode.DONE),
    ],
)
def test_each_state_has_its_next_action(facts: Facts, code: NextActionCode) -> None:
    action = told(facts)
    assert action.code is code
    assert action.sentence.endswith(".")
    assert action.remedy.endswith(".")


@pytest.mark.parametrize("state", list(State))
def test_every_state_and_question_is_answered_and_none_says_try_again(state: State) -> None:
    for question in (None, *Question):
        facts = facts_of(
            state=state,
            cause=Cause.WITHDRAWN,
            grade=Grade.ATTESTED,
            open_questions=frozenset({question} if question else ()),
        )
        action = told(facts)
        assert "again" not in action.remedy.replace("registering again observes", "")
        assert action.code in NextActionCode


@pytest.mark.parametrize("grade", list(Grade))
def test_every_grade_is_told_apart(grade: Grade) -> None:
    words = {told(facts_of(state=State.CONFIRMED, grade=each)).sentence for each in Grade}
    assert len(words) == len(Grade)
    assert told(facts_of(state=State.CONFIRMED, grade=grade)).sentence in words


@pytest.mark.parametrize("cause", list(Cause))
def test_every_cause_is_told_apart(cause: Cause) -> None:
    sentence = told(never_sent(State.CANCELLED, cause=cause)).sentence
    assert "nothing was sent" in sentence


def test_a_settlement_that_lacks_its_word_is_an_error() -> None:
    with pytest.raises(ValueError, match="expected a cause"):
        told(never_sent(State.CANCELLED))
    with pytest.raises(ValueError, match="expected a grade"):
        told(facts_of(state=State.CONFIRMED))


@pytest.mark.parametrize(("seconds", "is_over"), [(-1, False), (0, True), (1, True)])
def test_an_overdue_request_reads_expired_at_its_second(*, seconds: int, is_over: bool) -> None:
    facts = replace(WAITING, approval_expires_at=NOW, approval_status=ApprovalStatus.OPEN)
    at = after(NOW, seconds)
    read = as_read(facts, at)
    assert (read.state, read.cause) == (
        (State.CANCELLED, Cause.EXPIRED) if is_over else (State.AWAITING_APPROVAL, None)
    )
    assert executed(read) is False
    assert told(facts, at).code is (
        NextActionCode.SUBMIT_NEW if is_over else NextActionCode.WAIT_FOR_APPROVAL
    )


@pytest.mark.parametrize("status", [None, ApprovalStatus.GRANTED, ApprovalStatus.VOIDED])
def test_a_request_that_is_not_open_is_never_overdue(status: ApprovalStatus | None) -> None:
    facts = facts_of(state=State.AWAITING_APPROVAL, approval_status=status, approval_expires_at=NOW)
    assert as_read(facts, NOW) == facts


def test_an_overdue_request_with_an_attempt_reads_unknown() -> None:
    facts = facts_of(
        state=State.AWAITING_APPROVAL,
        approval_status=ApprovalStatus.OPEN,
        approval_expires_at=NOW,
        generation=2,
    )
    read = as_read(facts, NOW)
    assert (read.state, read.approval_status) == (State.SENT_UNKNOWN, ApprovalStatus.EXPIRED)
    assert executed(read) is None
    assert told(facts).code is NextActionCode.WAIT_FOR_SETTLEMENT


def test_a_yes_that_ran_out_is_read_only_while_it_is_asked_for() -> None:
    facts = replace(READY, approval_expires_at=after(NOW, -1))
    assert as_read(facts, NOW) is facts


@pytest.mark.parametrize(
    ("facts", "is_executed"),
    [
        (facts_of(state=State.CONFIRMED), True),
        (facts_of(state=State.REFUSED), False),
        (facts_of(state=State.NOT_EXECUTED), False),
        (never_sent(State.CANCELLED), False),
        (never_sent(State.READY), False),
        (never_sent(State.AWAITING_APPROVAL), False),
        (facts_of(), None),
        (facts_of(state=State.READY), None),
        (facts_of(state=State.AWAITING_APPROVAL), None),
    ],
)
def test_executed_is_true_false_or_not_known(*, facts: Facts, is_executed: bool | None) -> None:
    assert executed(facts) is is_executed


def test_a_live_claim_is_waited_out() -> None:
    held = replace(READY, machine_claim_purpose=Purpose.DISPATCH, machine_claim_expires_at=AHEAD)
    action = told(held)
    assert (action.code, action.opens_at) == (NextActionCode.CLAIM, AHEAD)
    assert action.sentence == "It is claimed until 09:59:51 UTC."
    assert told(held, AHEAD).opens_at is None


def test_what_the_console_sends_is_not_claimed() -> None:
    action = told(replace(READY, executor=Executor.CONSOLE, next_try_at=AHEAD))
    assert (action.code, action.opens_at) == (NextActionCode.WAIT_FOR_SETTLEMENT, AHEAD)
    assert action.sentence == "The console's dispatcher sends this one at 09:59:51 UTC."


@pytest.mark.parametrize(
    "change",
    [
        {"is_halted": True},
        {"open_questions": frozenset({Question.RECEIPT_MISMATCH})},
        {"receipts": (a_receipt(),)},
    ],
)
def test_what_holds_a_ready_operation_is_asked_of_a_person(change: dict[str, Any]) -> None:
    assert told(replace(READY, **change)).code is NextActionCode.ASK_PERSON


def test_stalled_holds_nothing() -> None:
    stalled = replace(READY, open_questions=frozenset({Question.STALLED}))
    assert told(stalled).code is NextActionCode.CLAIM


def test_an_unknown_outcome_waits_for_the_next_lookup() -> None:
    action = told(facts_of(next_try_at=AHEAD))
    assert (action.code, action.opens_at) == (NextActionCode.WAIT_FOR_SETTLEMENT, AHEAD)
    assert "looked up at 09:59:51 UTC" in action.sentence


@pytest.mark.parametrize("question", list(Question))
def test_an_open_question_about_an_unknown_outcome_is_a_persons(question: Question) -> None:
    action = told(facts_of(open_questions=frozenset({question}), next_try_at=AHEAD))
    assert action.code is NextActionCode.ASK_PERSON
    assert question.value in action.sentence


@pytest.mark.parametrize(
    ("seconds", "code"),
    [(-1, NextActionCode.WAIT_FOR_SETTLEMENT), (0, NextActionCode.ASK_PERSON)],
)
def test_without_a_lookup_a_person_is_asked_after_the_quarantine(
    seconds: int, code: NextActionCode
) -> None:
    profile = without_keys(has_lookup=False)
    action = next_action(facts_of(), profile, after(QUARANTINE_ENDS_AT, seconds))
    assert action.code is code


@pytest.mark.parametrize("state", [State.REFUSED, State.NOT_EXECUTED, State.CANCELLED])
def test_a_late_word_comes_before_a_new_submission(state: State) -> None:
    late = facts_of(
        state=state, cause=Cause.EXPIRED, open_questions=frozenset({Question.LATE_RECEIPT})
    )
    assert told(late).code is NextActionCode.ASK_PERSON
