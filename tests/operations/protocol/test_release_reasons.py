"""Every reason that closes a release or a finding is told, with the facts that it rests on."""

from itertools import product
from typing import Any

import pytest

from operations.protocol.facts import Facts
from operations.protocol.profiles import Profile
from operations.protocol.release import Blocker, not_executed_blockers, release_blockers
from operations.protocol.states import ApprovalStatus, Question, State

from .build import (
    DEDUP_ENDS_AT,
    MARKED_AT,
    QUARANTINE_ENDS_AT,
    a_lookup,
    a_profile,
    a_receipt,
    after,
    an_attempt,
    facts_of,
    without_keys,
)

OVER = after(QUARANTINE_ENDS_AT, 60)
FRESH = (a_lookup(after(OVER, -10)),)
ONE_DAY_ON = after(OVER, 86_400)
MANUAL = without_keys(has_lookup=False, second_person=False)


def release(facts: Facts, profile: Profile | None = None, **more: Any) -> list[Blocker]:
    given = {"now": OVER, "second_person_agrees": True, **more}
    return release_blockers(facts, profile or a_profile(), **given)


def finding(facts: Facts, profile: Profile | None = None, **more: Any) -> list[Blocker]:
    given = {"now": OVER, "second_person_agrees": True, **more}
    return not_executed_blockers(facts, profile or a_profile(), **given)


def codes(blockers: list[Blocker]) -> list[str]:
    return [blocker.code for blocker in blockers]


def test_what_is_not_in_question_is_the_only_reason() -> None:
    confirmed = facts_of(state=State.CONFIRMED)
    assert codes(release(confirmed)) == codes(finding(confirmed)) == ["not_sent_unknown"]
    halted = facts_of(state=State.CONFIRMED, is_halted=True)
    assert codes(release(halted)) == ["not_sent_unknown", "halted"]


def test_all_that_closes_an_unknown_outcome_is_told_at_once() -> None:
    facts = facts_of(is_halted=True)
    found = release(facts, second_person_agrees=False)
    assert codes(found) == ["halted", "no_fresh_lookup", "needs_second_person"]


@pytest.mark.parametrize("at_mark", [False, True])
def test_a_rejection_closes_release_for_good_and_leaves_the_finding_open(*, at_mark: bool) -> None:
    facts = facts_of(
        state=State.READY if at_mark else State.SENT_UNKNOWN,
        approval_status=ApprovalStatus.REJECTED,
        lookups=FRESH,
    )
    (blocker,) = release(facts, at_mark=at_mark)
    assert (blocker.code, blocker.opens_at) == ("rejected", None)
    assert "finally for this key" in blocker.sentence
    assert at_mark or finding(facts) == []


@pytest.mark.parametrize("status", [None, *sorted(set(ApprovalStatus) - {ApprovalStatus.REJECTED})])
def test_no_other_end_of_an_approval_closes_it(status: ApprovalStatus | None) -> None:
    assert release(facts_of(approval_status=status, lookups=FRESH)) == []


def test_what_closes_both_is_told_in_the_same_words() -> None:
    facts = facts_of(receipts=(a_receipt(),), open_questions=frozenset({Question.DUPLICATE_ANSWER}))
    for now in (after(MARKED_AT, 40), OVER):
        both = finding(facts, now=now)
        assert len(both) == 3
        assert both == release(facts, now=now)


def test_one_piece_of_evidence_is_told_alone_and_the_newest_of_several_first() -> None:
    (blocker,) = release(facts_of(lookups=FRESH, receipts=(a_receipt(),)))
    assert blocker.sentence == (
        "Evidence of 09:58:46 UTC speaks of an effect (channel response, status confirmed) "
        "and is not explained."
    )
    newer = a_receipt(received_at=after(MARKED_AT, 9))
    for receipts in ((a_receipt(), newer), (newer, a_receipt())):
        (blocker,) = release(facts_of(lookups=FRESH, receipts=receipts))
        assert blocker.sentence.startswith("Evidence of 09:58:50 UTC speaks")
        assert blocker.sentence.endswith("is not explained (1 more).")


def test_the_last_open_attempt_is_named_with_its_mark() -> None:
    second = an_attempt(generation=2, marked_at=after(MARKED_AT, 1))
    facts = facts_of(attempts=(an_attempt(), second), lookups=FRESH)
    (blocker,) = release(facts, without_keys())
    assert blocker.sentence == (
        "The sender of attempt 2 (marked 09:58:42 UTC) never reported an end, "
        "and sandbox has no keys that would stop a second effect."
    )


def test_a_window_is_over_in_words_at_its_very_end() -> None:
    facts = facts_of(lookups=(a_lookup(DEDUP_ENDS_AT),))
    (blocker,) = release(facts, now=DEDUP_ENDS_AT)
    assert blocker.sentence.startswith("sandbox has protected this key only until")


def test_a_lookup_at_the_quarantines_end_is_too_old_and_not_too_early() -> None:
    facts = facts_of(lookups=(a_lookup(QUARANTINE_ENDS_AT),))
    (blocker,) = release(facts, now=after(OVER, 1))
    assert blocker.sentence.endswith("but that is 61 s ago; at most 60 s count.")


def test_where_nothing_can_be_looked_up_no_lookup_is_asked_for() -> None:
    profile = a_profile(has_lookup=False)
    assert codes(release(facts_of(), profile)) == ["no_lookup"]
    assert finding(facts_of(), profile) == []


def test_one_person_finds_nothing_where_the_profile_trusts_one_and_a_lookup_shows_it() -> None:
    profile = a_profile(second_person=False)
    facts = facts_of(lookups=FRESH)
    found = finding(facts, profile, second_person_agrees=False, has_named_answer=False)
    assert found == []
    (blocker,) = finding(facts, second_person_agrees=False)
    assert blocker.sentence == (
        "The finding that nothing happened takes two people, and no second person has agreed."
    )
    (blocker,) = release(facts, second_person_agrees=False)
    assert blocker.sentence.startswith("A release for one more send takes two people,")


def test_an_unnamed_answer_is_told_beside_the_rest() -> None:
    facts = facts_of(receipts=(a_receipt(),))
    found = finding(facts, MANUAL, has_named_answer=False)
    assert codes(found) == ["unexplained_evidence", "no_lookup"]
    assert found[1].sentence == (
        "Receiver sandbox can't be looked up, and nobody there is named who said that nothing "
        "happened."
    )
    assert found[1].remedy == (
        "Ask the receiver (no contact is configured) and enter who answered."
    )


@pytest.mark.parametrize(
    "facts",
    [
        facts_of(attempts=(), lookups=FRESH),
        facts_of(state=State.CONFIRMED, is_halted=True),
        facts_of(approval_status=ApprovalStatus.REJECTED, receipts=(a_receipt(),)),
    ],
)
def test_each_reason_has_a_code_a_sentence_and_a_remedy(facts: Facts) -> None:
    for profile in (a_profile(), MANUAL):
        found = release(facts, profile, second_person_agrees=False, now=ONE_DAY_ON)
        found += finding(facts, profile, second_person_agrees=False, has_named_answer=False)
        assert len({(each.code, each.sentence) for each in found}) >= 2
        for each in found:
            assert each.code.isidentifier()
            assert each.code.islower()
            assert each.sentence.endswith(".")
            assert each.remedy.endswith(".")


def test_nothing_is_released_without_an_attempt_or_into_a_halt() -> None:
    assert "no_attempt" in codes(release(facts_of(attempts=(), lookups=FRESH)))
    assert codes(release(facts_of(is_halted=True, lookups=FRESH))) == ["halted"]


@pytest.mark.parametrize(("has_keys", "has_lookup"), list(product([True, False], repeat=2)))
def test_every_blocker_has_a_sentence_and_a_remedy(*, has_keys: bool, has_lookup: bool) -> None:
    profile = (a_profile if has_keys else without_keys)(has_lookup=has_lookup)
    facts = facts_of(receipts=(a_receipt(),), open_questions=frozenset(Question), is_halted=True)
    for now in (after(MARKED_AT, 1), OVER, after(DEDUP_ENDS_AT, 1)):
        for blocker in release(facts, profile, now=now, second_person_agrees=False):
            assert blocker.sentence.endswith(".")
            assert blocker.remedy.endswith(".")
            assert "None" not in blocker.sentence
