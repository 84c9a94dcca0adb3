"""The finding that nothing happened: rule 3 (a) to (c), or two people and a named answer."""

from datetime import datetime

import pytest

from operations.protocol.facts import Facts
from operations.protocol.release import not_executed_blockers
from operations.protocol.states import Question, State

from .build import (
    DEDUP_ENDS_AT,
    MARKED_AT,
    QUARANTINE_ENDS_AT,
    a_lookup,
    a_profile,
    a_receipt,
    after,
    facts_of,
    without_keys,
)

OVER = after(QUARANTINE_ENDS_AT, 60)
FRESH = (a_lookup(after(OVER, -10)),)


@pytest.mark.parametrize(
    ("facts", "now", "code"),
    [
        (facts_of(), after(QUARANTINE_ENDS_AT, -1), "quarantine"),
        (facts_of(), OVER, "no_fresh_lookup"),
        (facts_of(lookups=FRESH, receipts=(a_receipt(),)), OVER, "unexplained_evidence"),
        (
            facts_of(lookups=FRESH, open_questions=frozenset({Question.DUPLICATE_ANSWER})),
            OVER,
            "review_open",
        ),
        (facts_of(attempts=(), lookups=FRESH), OVER, "no_attempt"),
        (facts_of(state=State.READY, lookups=FRESH), OVER, "not_sent_unknown"),
    ],
)
def test_not_executed_needs_a_to_c(facts: Facts, now: datetime, code: str) -> None:
    found = not_executed_blockers(facts, a_profile(), now, second_person_agrees=True)
    assert [blocker.code for blocker in found] == [code]


def test_not_executed_does_not_ask_for_window_halt_or_closed_attempt() -> None:
    now = after(DEDUP_ENDS_AT, 99_999)
    facts = facts_of(lookups=(a_lookup(now),), is_halted=True)
    for profile in (a_profile(), without_keys()):
        assert not_executed_blockers(facts, profile, now, second_person_agrees=True) == []


def test_not_executed_without_a_lookup_takes_two_and_a_name() -> None:
    profile = without_keys(has_lookup=False, second_person=False, contact="orders@sandbox")
    found = not_executed_blockers(
        facts_of(), profile, OVER, second_person_agrees=False, has_named_answer=False
    )
    assert [blocker.code for blocker in found] == ["no_lookup", "needs_second_person"]
    assert found[0].remedy == "Ask the receiver (orders@sandbox) and enter who answered."
    named = not_executed_blockers(
        facts_of(), profile, OVER, second_person_agrees=True, has_named_answer=True
    )
    assert named == []


def test_not_executed_without_a_lookup_waits_for_the_quarantine_all_the_same() -> None:
    profile = without_keys(has_lookup=False)
    found = not_executed_blockers(
        facts_of(), profile, after(MARKED_AT, 40), second_person_agrees=True
    )
    assert [blocker.code for blocker in found] == ["quarantine"]
