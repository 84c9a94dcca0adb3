"""Rule 3, letter by letter, each time rule exactly at its second."""

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operations.protocol.facts import AttemptFacts, Facts, LookupFacts
from operations.protocol.profiles import Profile
from operations.protocol.release import Blocker, release_blockers
from operations.protocol.states import AttemptOutcome, LookupResult, Question, State

from .build import (
    DEDUP_ENDS_AT,
    MARKED_AT,
    QUARANTINE_ENDS_AT,
    a_closed_attempt,
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


def blockers(
    facts: Facts,
    profile: Profile | None = None,
    now: datetime = OVER,
    *,
    agrees: bool = True,
    **more: Any,
) -> list[Blocker]:
    return release_blockers(facts, profile or a_profile(), now, second_person_agrees=agrees, **more)


def codes(*args: Any, **more: Any) -> list[str]:
    return [blocker.code for blocker in blockers(*args, **more)]


def test_release_is_open_when_all_holds() -> None:
    assert codes(facts_of(lookups=FRESH)) == []


def test_a_during_the_quarantine_it_says_when_it_opens() -> None:
    (blocker,) = blockers(facts_of(), now=after(MARKED_AT, 40))
    assert blocker.code == "quarantine"
    assert blocker.sentence == (
        "A request may still be in flight until 10:04:11 UTC "
        "(send deadline 09:59:11 + delivery delay 240 s + lookup lag 60 s)."
    )
    assert blocker.opens_at == QUARANTINE_ENDS_AT


@pytest.mark.parametrize(
    ("seconds", "code"), [(-0.001, "quarantine"), (0, "no_fresh_lookup"), (1, "no_fresh_lookup")]
)
def test_a_the_quarantine_is_over_at_its_second(seconds: float, code: str) -> None:
    assert codes(facts_of(), now=after(QUARANTINE_ENDS_AT, seconds)) == [code]


def test_a_the_last_send_deadline_of_all_attempts_counts() -> None:
    later = an_attempt(generation=2, send_deadline_at=OVER, marked_at=after(OVER, -30))
    (blocker,) = blockers(facts_of(attempts=(a_closed_attempt(), later), lookups=FRESH))
    assert (blocker.code, blocker.opens_at) == ("quarantine", after(OVER, 300))


@pytest.mark.parametrize(
    ("asked_at", "is_evidence"),
    [
        (after(QUARANTINE_ENDS_AT, -0.001), False),
        (QUARANTINE_ENDS_AT, True),
        (after(OVER, -60), True),
        (OVER, True),
    ],
)
def test_b_a_lookup_counts_from_the_quarantines_end(
    *, asked_at: datetime, is_evidence: bool
) -> None:
    found = codes(facts_of(lookups=(a_lookup(asked_at),)))
    assert found == ([] if is_evidence else ["no_fresh_lookup"])


@pytest.mark.parametrize(
    ("seconds", "is_fresh"), [(59, True), (60, True), (60.001, False), (61, False)]
)
def test_b_a_lookup_counts_for_60_seconds(*, seconds: float, is_fresh: bool) -> None:
    now = after(OVER, 1000)
    found = codes(facts_of(lookups=(a_lookup(after(now, -seconds)),)), now=now)
    assert found == ([] if is_fresh else ["no_fresh_lookup"])


@pytest.mark.parametrize("result", list(LookupResult))
def test_b_only_not_found_is_evidence(result: LookupResult) -> None:
    found = codes(facts_of(lookups=(a_lookup(after(OVER, -5), result),)))
    assert found == ([] if result is LookupResult.NOT_FOUND else ["no_fresh_lookup"])


def test_b_a_found_record_outweighs_an_earlier_not_found() -> None:
    lookups = (*FRESH, a_lookup(after(OVER, -5), LookupResult.FOUND))
    (blocker,) = blockers(facts_of(lookups=lookups))
    assert blocker.sentence == (
        "The latest answered lookup, asked at 10:05:06 UTC, found a record, "
        "so the request did arrive."
    )


def test_b_could_not_ask_takes_nothing_from_an_earlier_answer() -> None:
    lookups = (a_lookup(after(OVER, -5), LookupResult.COULD_NOT_ASK), *FRESH)
    assert codes(facts_of(lookups=lookups)) == []


@pytest.mark.parametrize(
    ("lookups", "sentence"),
    [
        ((), "No lookup has been answered yet, so nothing shows that the request is not there."),
        (
            (a_lookup(after(MARKED_AT, 60)),),
            "The latest answered lookup, asked at 09:59:41 UTC, found nothing, but a request "
            "could still arrive then; only one asked from 10:04:11 UTC on counts.",
        ),
        (
            (a_lookup(after(OVER, 20)),),
            "The latest answered lookup, asked at 10:05:31 UTC, found nothing, but that is 80 s "
            "ago; at most 60 s count.",
        ),
    ],
)
def test_b_says_why_there_is_no_evidence(lookups: tuple[LookupFacts, ...], sentence: str) -> None:
    (blocker,) = blockers(facts_of(lookups=lookups), now=after(OVER, 100))
    assert blocker.sentence == sentence
    assert blocker.remedy == "Look up now, then decide within 60 s."


def test_b_without_a_lookup_release_stays_closed() -> None:
    profile = without_keys(has_lookup=False)
    found = codes(facts_of(attempts=(a_closed_attempt(),), lookups=FRESH), profile)
    assert found == ["no_lookup"]


def test_c_unexplained_evidence_closes_it_and_explained_does_not() -> None:
    (blocker,) = blockers(facts_of(lookups=FRESH, receipts=(a_receipt(), a_receipt())))
    assert blocker.code == "unexplained_evidence"
    assert blocker.sentence == (
        "Evidence of 09:58:46 UTC speaks of an effect (channel response, status confirmed) "
        "and is not explained (1 more)."
    )
    explained = facts_of(lookups=FRESH, receipts=(a_receipt(is_unexplained=False),))
    assert codes(explained) == []


@pytest.mark.parametrize("question", list(Question))
def test_c_only_questions_about_the_outcome_itself_leave_it_open(question: Question) -> None:
    found = codes(facts_of(lookups=FRESH, open_questions=frozenset({question})))
    is_answered_by_it = question in (Question.UNKNOWN_OUTCOME, Question.STALLED)
    assert found == ([] if is_answered_by_it else ["review_open"])


@pytest.mark.parametrize(("seconds", "is_ahead"), [(-0.001, True), (0, False), (1, False)])
@pytest.mark.parametrize("second_person", [True, False])
def test_d_with_keys_it_closes_for_good_when_the_window_ends(
    *, seconds: float, is_ahead: bool, second_person: bool
) -> None:
    now = after(DEDUP_ENDS_AT, seconds)
    facts = facts_of(lookups=(a_lookup(after(now, -1)),))
    found = codes(facts, a_profile(second_person=second_person), now)
    assert found == ([] if is_ahead else ["window_over"])


def test_d_the_window_starts_at_the_earliest_mark_of_any_generation() -> None:
    now = after(DEDUP_ENDS_AT, 1)
    second = an_attempt(generation=2, marked_at=after(now, -900), send_deadline_at=after(now, -870))
    facts = facts_of(attempts=(an_attempt(), second), lookups=(a_lookup(after(now, -1)),))
    (blocker,) = blockers(facts, now=now)
    assert blocker.code == "window_over"
    assert blocker.sentence == (
        "sandbox has protected this key only until 08:58:41 UTC (first mark 2025-11-30 09:58:41 "
        "+ window 86400 s - margin 3600 s); a second request could be a second effect."
    ), "the sum shows the date of a mark made on another day"


def test_d_a_window_that_ends_within_the_quarantine_never_opens() -> None:
    profile = a_profile(dedup_window_seconds=300, dedup_margin_seconds=10)
    found = blockers(facts_of(), profile, after(MARKED_AT, 40))
    assert [blocker.code for blocker in found] == ["window_over", "quarantine"]
    assert found[0].sentence == (
        "sandbox protects this key only until 10:03:31 UTC (first mark 09:58:41 + window 300 s "
        "- margin 10 s), and a request may still be in flight then."
    )


def test_d_a_window_that_nobody_knows_protects_from_nothing() -> None:
    profile = a_profile(dedup_window_seconds=None)
    (blocker,) = blockers(facts_of(lookups=FRESH), profile)
    assert blocker.code == "window_over"
    assert blocker.sentence.startswith("It is not known how long sandbox keeps a key")


@pytest.mark.parametrize(
    ("attempt", "is_closed"),
    [
        (an_attempt(), False),
        (an_attempt(gone_recorded=True), True),
        *((an_attempt(outcome=outcome), True) for outcome in AttemptOutcome),
    ],
)
def test_d_without_keys_the_attempt_must_be_closed(
    *, attempt: AttemptFacts, is_closed: bool
) -> None:
    found = codes(facts_of(attempts=(attempt,), lookups=FRESH), without_keys())
    assert found == ([] if is_closed else ["attempt_open"])


def test_a_without_keys_the_quarantine_counts_from_the_senders_end() -> None:
    late = an_attempt(outcome=AttemptOutcome.UNKNOWN, closed_at=after(OVER, -20))
    [blocker] = blockers(facts_of(attempts=(late,), lookups=FRESH), without_keys())
    assert blocker.code == "quarantine"
    quarantine = QUARANTINE_ENDS_AT - late.send_deadline_at
    assert blocker.opens_at == after(OVER, -20) + quarantine
    assert "sender's end" in blocker.sentence
    assert codes(facts_of(attempts=(late,), lookups=FRESH)) == []  # a key makes it harmless


def test_a_without_keys_an_end_before_the_deadline_changes_nothing() -> None:
    early = an_attempt(outcome=AttemptOutcome.UNKNOWN, closed_at=MARKED_AT)
    assert codes(facts_of(attempts=(early,), lookups=FRESH), without_keys()) == []


@pytest.mark.parametrize(
    ("profile", "needs_second"),
    [
        (a_profile(second_person=True), True),
        (a_profile(second_person=False), False),
        (without_keys(second_person=True), True),
        (without_keys(second_person=False), True),
    ],
)
def test_d_without_keys_one_person_is_never_enough(*, profile: Profile, needs_second: bool) -> None:
    facts = facts_of(attempts=(a_closed_attempt(),), lookups=FRESH)
    assert codes(facts, profile, agrees=False) == (["needs_second_person"] if needs_second else [])
    assert codes(facts, profile) == []


@pytest.mark.parametrize("state", list(State))
def test_only_an_unknown_outcome_can_be_released(state: State) -> None:
    found = codes(facts_of(state=state, lookups=FRESH))
    assert found == ([] if state is State.SENT_UNKNOWN else ["not_sent_unknown"])


def test_at_the_mark_b_to_d_are_judged_again() -> None:
    ready = facts_of(state=State.READY, generation=2, lookups=FRESH, is_halted=True)
    assert codes(ready, at_mark=True) == []
    assert codes(ready, now=after(OVER, 51), at_mark=True) == ["no_fresh_lookup"]
    late = after(DEDUP_ENDS_AT, 0)
    fresh = facts_of(state=State.READY, generation=2, lookups=(a_lookup(after(late, -1)),))
    assert codes(fresh, now=late, at_mark=True) == ["window_over"]
    doubtful = facts_of(state=State.READY, lookups=FRESH, receipts=(a_receipt(),))
    assert codes(doubtful, at_mark=True) == ["unexplained_evidence"]
    open_attempt = facts_of(state=State.READY, lookups=FRESH)
    assert codes(open_attempt, without_keys(), at_mark=True) == ["attempt_open"]


ENDS = st.sampled_from([QUARANTINE_ENDS_AT, DEDUP_ENDS_AT])
ANSWERS = st.lists(
    st.tuples(st.integers(0, 90), st.sampled_from([*LookupResult, LookupResult.NOT_FOUND])),
    max_size=3,
    unique_by=lambda answer: answer[0],
)


@given(end=ENDS, seconds=st.integers(-70, 70), answers=ANSWERS, has_keys=st.booleans())
def test_release_is_open_exactly_when_a_to_d_hold(
    *, end: datetime, seconds: int, answers: list[tuple[int, LookupResult]], has_keys: bool
) -> None:
    now = after(end, seconds)
    facts = facts_of(
        attempts=(a_closed_attempt(),),
        lookups=tuple(a_lookup(after(now, -ago), result) for ago, result in answers),
    )
    answered = [row for row in sorted(answers) if row[1] is not LookupResult.COULD_NOT_ASK]
    is_open = (
        now >= QUARANTINE_ENDS_AT
        and bool(answered)
        and answered[0][1] is LookupResult.NOT_FOUND
        and answered[0][0] <= 60
        and after(now, -answered[0][0]) >= QUARANTINE_ENDS_AT
        and (not has_keys or now < DEDUP_ENDS_AT)
    )
    profile = a_profile() if has_keys else without_keys()
    assert (codes(facts, profile, now) == []) is is_open
