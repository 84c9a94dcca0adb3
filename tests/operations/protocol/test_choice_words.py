"""What each choice says, open and closed: the facts in the sentence are this operation's own."""

from dataclasses import replace
from typing import Any

import pytest

from operations.protocol.choice_rules import RULES
from operations.protocol.choices import Choice, choice, choices
from operations.protocol.facts import Facts
from operations.protocol.states import ChoiceCode, Question, State

from .build import (
    MARKED_AT,
    QUARANTINE_ENDS_AT,
    a_lookup,
    a_profile,
    a_receipt,
    after,
    an_attempt,
    facts_of,
    never_sent,
)

NOW = after(QUARANTINE_ENDS_AT, 60)
UNKNOWN = facts_of(lookups=(a_lookup(after(NOW, -10)),))
HELD = replace(UNKNOWN, review_holder="tom", review_expires_at=after(NOW, 600))


def found(code: ChoiceCode, facts: Facts, **profile: Any) -> Choice:
    return choice(code, facts, a_profile(**profile), NOW)


@pytest.mark.parametrize(
    "facts",
    [
        UNKNOWN,
        HELD,
        facts_of(),
        replace(HELD, proposal_open=ChoiceCode.ATTEST, receipts=(a_receipt(),)),
        never_sent(State.READY),
        facts_of(state=State.REFUSED, receipts=(a_receipt(),)),
        facts_of(state=State.CONFIRMED, attempts=()),
        facts_of(open_questions=frozenset({Question.UNKNOWN_OUTCOME})),
    ],
)
def test_an_open_choice_needs_no_remedy_and_a_closed_one_tells_its_first_reason(
    facts: Facts,
) -> None:
    for each in choices(facts, a_profile(), NOW):
        assert each.sentence.endswith(".")
        if each.is_open:
            assert each.remedy == ""
        else:
            first = each.blockers[0]
            assert (each.sentence, each.remedy) == (first.sentence, first.remedy)
            assert all(blocker.sentence.endswith(".") for blocker in each.blockers)
            assert all(blocker.remedy.endswith(".") for blocker in each.blockers)


def test_two_reasons_are_told_in_order() -> None:
    closed = found(ChoiceCode.RELEASE, replace(HELD, is_halted=True))
    assert [blocker.code for blocker in closed.blockers] == ["halted", "held_by_other"]
    assert closed.sentence.startswith("Dispatch is halted here")
    assert closed.remedy == "Have the halt lifted first."


@pytest.mark.parametrize("code", ChoiceCode)
def test_a_rule_says_plainly_whether_it_decides_and_takes_two(code: ChoiceCode) -> None:
    rule, trusting = RULES[code], a_profile(second_person=False)
    assert rule.is_decision is (code not in (ChoiceCode.LOOK_UP, ChoiceCode.NOTE))
    needs_second = rule.needs_second(UNKNOWN, trusting)
    assert needs_second is (code is ChoiceCode.CLOSE_ATTEMPT)
    asked = replace(UNKNOWN, open_questions=frozenset({Question.RECEIPT_MISMATCH}))
    assert rule.needs_second(asked, trusting) is needs_second


@pytest.mark.parametrize(
    ("code", "facts", "sentence"),
    [
        (
            ChoiceCode.RELEASE,
            UNKNOWN,
            "Allows exactly one more send of the same request under the same key (generation 2).",
        ),
        (
            ChoiceCode.NOT_EXECUTED,
            UNKNOWN,
            "Records the finding that nothing happened; nothing is sent under this key. "
            "It rests on the lookup that found nothing.",
        ),
        (
            ChoiceCode.LOOK_UP,
            facts_of(state=State.CONFIRMED, attempts=()),
            "Asks sandbox for this key now. It sends nothing.",
        ),
        (
            ChoiceCode.SETTLE_REVIEW,
            facts_of(open_questions=frozenset({Question.UNKNOWN_OUTCOME, Question.CONTRADICTION})),
            "Answers the open review (contradiction) and records the finding and its reason.",
        ),
        (
            ChoiceCode.TAKE,
            replace(UNKNOWN, review_holder="tom", review_expires_at=NOW),
            "Shows the others that you are on this case. Evidence is taken in all the same.",
        ),
    ],
)
def test_an_open_choice_says_what_it_does(code: ChoiceCode, facts: Facts, sentence: str) -> None:
    assert found(code, facts).sentence == sentence


@pytest.mark.parametrize(
    ("code", "facts", "closed_code", "sentence"),
    [
        (
            ChoiceCode.ATTEST,
            never_sent(State.READY),
            "no_attempt",
            "Nothing was sent, so no receipt can be its own: no attempt is on record.",
        ),
        (
            ChoiceCode.CLOSE_ATTEMPT,
            never_sent(State.READY),
            "no_attempt",
            "There is nothing to close: no attempt is on record.",
        ),
        (
            ChoiceCode.SUPERSEDE,
            facts_of(state=State.REFUSED, open_questions=frozenset({Question.LATE_RECEIPT})),
            "review_open",
            "A late word about this key is not answered yet: late_receipt.",
        ),
        (
            ChoiceCode.SUPERSEDE,
            facts_of(state=State.REFUSED, receipts=(a_receipt(),)),
            "review_open",
            "A late word about this key is not answered yet: unexplained evidence.",
        ),
        (
            ChoiceCode.SETTLE_REVIEW,
            facts_of(open_questions=frozenset({Question.UNKNOWN_OUTCOME})),
            "wrong_state",
            "The open review asks for the outcome itself, and closes when the operation settles.",
        ),
        (ChoiceCode.SETTLE_REVIEW, UNKNOWN, "wrong_state", "No review is open."),
        (
            ChoiceCode.CANCEL,
            facts_of(
                attempts=(an_attempt(), an_attempt(generation=2, marked_at=after(MARKED_AT, 9)))
            ),
            "has_attempt",
            "Attempt 1 was marked at 09:58:41 UTC and may have been sent; what may have happened "
            "can't be withdrawn.",
        ),
    ],
)
def test_a_closed_choice_says_why(
    code: ChoiceCode, facts: Facts, closed_code: str, sentence: str
) -> None:
    closed = found(code, facts)
    assert (closed.closed_code, closed.sentence) == (closed_code, sentence)


def test_an_attempt_that_may_still_act_is_told_with_its_deadline() -> None:
    closed = choice(ChoiceCode.CLOSE_ATTEMPT, facts_of(), a_profile(), after(MARKED_AT, 1))
    assert closed.closed_code == "attempt_open"
    assert closed.sentence == "The sender may still act until 09:59:11 UTC."
    assert closed.remedy.endswith(".")


def test_a_receiver_that_nobody_can_be_asked_at_says_so() -> None:
    closed = found(ChoiceCode.LOOK_UP, UNKNOWN, has_lookup=False)
    assert closed.sentence == "Receiver sandbox can't be looked up by key."
    assert closed.remedy == "Ask the receiver: no contact is configured."


def test_unexplained_evidence_makes_a_settled_operation_a_case() -> None:
    settled = facts_of(state=State.REFUSED)
    assert not found(ChoiceCode.TAKE, settled).is_open
    assert found(ChoiceCode.TAKE, replace(settled, receipts=(a_receipt(),))).is_open
