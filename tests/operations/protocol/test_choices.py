from dataclasses import replace
from datetime import datetime

import pytest

from operations.protocol.choice_rules import RULES
from operations.protocol.choices import Choice, choice, choices
from operations.protocol.facts import Facts
from operations.protocol.profiles import Profile
from operations.protocol.states import (
    SETTLED_STATES,
    ApprovalStatus,
    Cause,
    ChoiceCode,
    Grade,
    Question,
    State,
)

from .build import (
    MARKED_AT,
    QUARANTINE_ENDS_AT,
    SEND_DEADLINE_AT,
    a_closed_attempt,
    a_lookup,
    a_profile,
    a_receipt,
    after,
    facts_of,
    never_sent,
    without_keys,
)

NOW = after(QUARANTINE_ENDS_AT, 60)
FRESH = (a_lookup(after(NOW, -10)),)
UNKNOWN = facts_of(lookups=FRESH)

SNAPSHOTS = {
    "waiting": never_sent(State.AWAITING_APPROVAL),
    "ready": never_sent(State.READY),
    "unknown": UNKNOWN,
    "released": facts_of(state=State.READY, generation=2),
    "confirmed": facts_of(state=State.CONFIRMED, grade=Grade.RECEIPT),
    "refused": facts_of(state=State.REFUSED),
    "not_executed": facts_of(state=State.NOT_EXECUTED),
    "cancelled": never_sent(State.CANCELLED, cause=Cause.WITHDRAWN),
}
OPEN = {
    "waiting": {"cancel", "take", "note"},
    "ready": {"cancel", "take", "note"},
    "unknown": {
        "look_up", "attest", "not_executed", "release", "take", "note", "close_attempt",
    },
    "released": {"attest", "take", "note", "close_attempt"},
    "confirmed": {"look_up", "compensate", "note"},
    "refused": {"supersede", "note"},
    "not_executed": {"supersede", "note"},
    "cancelled": {"supersede", "note"},
}  # fmt: skip


def found(
    code: ChoiceCode, facts: Facts, profile: Profile | None = None, now: datetime = NOW
) -> Choice:
    return choice(code, facts, profile or a_profile(), now)


def closed_by(code: str, facts: Facts, now: datetime = NOW) -> set[ChoiceCode]:
    offered = choices(facts, a_profile(), now)
    return {each.code for each in offered if code in {why.code for why in each.blockers}}


@pytest.mark.parametrize("name", sorted(SNAPSHOTS))
def test_each_state_opens_its_choices_and_closes_the_rest(name: str) -> None:
    offered = choices(SNAPSHOTS[name], a_profile(), NOW)
    assert {choice.code.value for choice in offered if choice.is_open} == OPEN[name]


def test_every_state_has_a_snapshot_here() -> None:
    assert {facts.state for facts in SNAPSHOTS.values()} == set(State)


@pytest.mark.parametrize("name", sorted(SNAPSHOTS))
def test_every_choice_is_answered_in_order_with_words(name: str) -> None:
    offered = choices(SNAPSHOTS[name], a_profile(), NOW)
    assert [choice.code for choice in offered] == list(ChoiceCode) == list(RULES)
    for each in offered:
        assert each.sentence.endswith(".")
        assert each.is_open == (each.closed_code is None) == (not each.blockers)
        assert each.is_open or each.remedy.endswith(".")


def test_one_choice_is_the_same_as_among_all() -> None:
    assert [found(code, UNKNOWN) for code in ChoiceCode] == choices(UNKNOWN, a_profile(), NOW)


def test_a_closed_release_says_why_and_when() -> None:
    closed = found(ChoiceCode.RELEASE, facts_of(), now=after(MARKED_AT, 40))
    assert (closed.closed_code, closed.opens_at) == ("quarantine", QUARANTINE_ENDS_AT)
    assert closed.sentence.startswith("A request may still be in flight until 10:04:11 UTC")


def test_no_time_is_promised_when_a_clock_alone_does_not_open_it() -> None:
    facts = facts_of(receipts=(a_receipt(),))
    closed = found(ChoiceCode.RELEASE, facts, now=after(MARKED_AT, 40))
    assert [blocker.code for blocker in closed.blockers] == ["unexplained_evidence", "quarantine"]
    assert closed.opens_at is None


def test_the_latest_of_two_times_is_promised() -> None:
    until = after(QUARANTINE_ENDS_AT, 600)
    facts = facts_of(review_holder="tom", review_expires_at=until)
    closed = found(ChoiceCode.RELEASE, facts, now=after(MARKED_AT, 40))
    assert (closed.closed_code, closed.opens_at) == ("quarantine", until)


@pytest.mark.parametrize(
    ("profile", "needing_two"),
    [
        (a_profile(), {"attest", "not_executed", "release", "set_aside", "close_attempt"}),
        (a_profile(second_person=False), {"close_attempt"}),
        (a_profile(second_person=False, has_lookup=False), {"not_executed", "close_attempt"}),
        (without_keys(second_person=False), {"release", "close_attempt"}),
    ],
)
def test_which_choices_take_two_people(profile: Profile, needing_two: set[str]) -> None:
    offered = choices(UNKNOWN, profile, NOW)
    assert {each.code.value for each in offered if each.needs_second} == needing_two


def test_a_release_without_keys_needs_its_attempt_closed() -> None:
    assert found(ChoiceCode.RELEASE, UNKNOWN, without_keys()).closed_code == "attempt_open"
    closed = facts_of(attempts=(a_closed_attempt(),), lookups=FRESH)
    assert found(ChoiceCode.RELEASE, closed, without_keys()).is_open


def test_an_unread_receiver_can_not_be_looked_up_or_released() -> None:
    profile = without_keys(has_lookup=False, contact="orders@manual.example")
    assert found(ChoiceCode.RELEASE, UNKNOWN, profile).closed_code == "no_lookup"
    closed = found(ChoiceCode.LOOK_UP, UNKNOWN, profile)
    assert closed.closed_code == "no_lookup"
    assert closed.remedy == "Ask the receiver: orders@manual.example."
    open_one = found(ChoiceCode.NOT_EXECUTED, UNKNOWN, profile)
    assert open_one.is_open
    assert "two people" in open_one.sentence


def test_a_lookup_asked_early_says_from_when_it_is_made() -> None:
    early = found(ChoiceCode.LOOK_UP, facts_of(), now=after(SEND_DEADLINE_AT, -1))
    assert early.is_open
    assert early.sentence == (
        "Asks sandbox for this key from 09:59:11 UTC on, when its sender's time is over. "
        "It sends nothing."
    )
    on_time = found(ChoiceCode.LOOK_UP, facts_of(), now=SEND_DEADLINE_AT)
    assert on_time.sentence == "Asks sandbox for this key now. It sends nothing."


DECISIONS = {code for code in ChoiceCode if code not in {ChoiceCode.LOOK_UP, ChoiceCode.NOTE}}


@pytest.mark.parametrize(("seconds", "closed"), [(-1, DECISIONS), (0, set())])
def test_another_persons_case_closes_decisions_until_its_lease_ends(
    seconds: int, closed: set[ChoiceCode]
) -> None:
    facts = replace(UNKNOWN, review_holder="tom", review_expires_at=after(NOW, 600))
    assert closed_by("held_by_other", facts, now=after(NOW, 600 + seconds)) == closed


def test_who_holds_a_case_is_named_with_the_time() -> None:
    facts = replace(UNKNOWN, review_holder="tom", review_expires_at=after(NOW, 600))
    closed = found(ChoiceCode.ATTEST, facts)
    assert closed.sentence == "tom holds this case until 10:15:11 UTC."
    assert closed.opens_at == after(NOW, 600)


def test_ones_own_case_closes_nothing_and_can_be_handed_back() -> None:
    mine = replace(UNKNOWN, review_holder="ines", review_expires_at=after(NOW, 600))
    assert found(ChoiceCode.RELEASE, mine).is_open
    assert found(ChoiceCode.HAND_BACK, mine).is_open
    assert found(ChoiceCode.TAKE, mine).sentence == (
        "You hold this case until 10:15:11 UTC; taking it again gives you more time."
    )
    assert found(ChoiceCode.HAND_BACK, UNKNOWN).closed_code == "wrong_state"


def test_an_open_proposal_closes_what_would_be_proposed_too() -> None:
    facts = replace(UNKNOWN, proposal_open=ChoiceCode.ATTEST)
    assert closed_by("proposal_open", facts) == {
        ChoiceCode.ATTEST,
        ChoiceCode.NOT_EXECUTED,
        ChoiceCode.RELEASE,
        ChoiceCode.SET_ASIDE,
        ChoiceCode.SETTLE_REVIEW,
    }


def test_a_proposal_that_is_over_closes_nothing_before_a_sweep_wrote_it() -> None:
    facts = replace(UNKNOWN, proposal_open=ChoiceCode.ATTEST, proposal_expires_at=NOW)
    assert closed_by("proposal_open", facts) == set()
    assert closed_by("proposal_open", replace(facts, proposal_expires_at=after(NOW, 1))) != set()


@pytest.mark.parametrize("question", list(Question))
def test_every_question_but_the_outcome_itself_is_settled_as_a_review(question: Question) -> None:
    settle = found(ChoiceCode.SETTLE_REVIEW, facts_of(open_questions=frozenset({question})))
    assert settle.is_open is (question is not Question.UNKNOWN_OUTCOME)
    assert settle.needs_second is (question in (Question.RECEIPT_MISMATCH, Question.LATE_RECEIPT))


@pytest.mark.parametrize("state", sorted(SETTLED_STATES))
def test_a_question_makes_a_settled_operation_a_case(state: State) -> None:
    settled = facts_of(state=state, cause=Cause.REJECTED)
    assert found(ChoiceCode.TAKE, settled).closed_code == "wrong_state"
    asked = replace(settled, open_questions=frozenset({Question.LATE_RECEIPT}))
    assert found(ChoiceCode.TAKE, asked).is_open


def test_a_late_word_holds_superseding_back() -> None:
    asked = facts_of(state=State.REFUSED, open_questions=frozenset({Question.LATE_RECEIPT}))
    assert found(ChoiceCode.SUPERSEDE, asked).closed_code == "review_open"
    told = facts_of(state=State.REFUSED, receipts=(a_receipt(),))
    assert found(ChoiceCode.SUPERSEDE, told).closed_code == "review_open"


def test_what_may_have_been_sent_is_never_cancelled() -> None:
    closed = found(ChoiceCode.CANCEL, SNAPSHOTS["released"])
    assert closed.closed_code == "has_attempt"
    assert closed.sentence == (
        "Attempt 1 was marked at 09:58:41 UTC and may have been sent; "
        "what may have happened can't be withdrawn."
    )


def test_evidence_is_set_aside_only_where_some_is_unexplained() -> None:
    assert found(ChoiceCode.SET_ASIDE, UNKNOWN).closed_code == "wrong_state"
    assert found(ChoiceCode.SET_ASIDE, facts_of(receipts=(a_receipt(),))).is_open


@pytest.mark.parametrize(("seconds", "is_open"), [(-1, False), (0, True)])
def test_an_attempt_is_closed_by_people_after_its_send_deadline(
    *, seconds: int, is_open: bool
) -> None:
    now = after(SEND_DEADLINE_AT, seconds)
    close = found(ChoiceCode.CLOSE_ATTEMPT, facts_of(), now=now)
    assert close.is_open is is_open
    assert close.opens_at == (None if is_open else SEND_DEADLINE_AT)


def test_a_closed_attempt_is_not_closed_again() -> None:
    facts = facts_of(attempts=(a_closed_attempt(),))
    assert found(ChoiceCode.CLOSE_ATTEMPT, facts).closed_code == "wrong_state"
    assert found(ChoiceCode.CLOSE_ATTEMPT, SNAPSHOTS["ready"]).closed_code == "no_attempt"


@pytest.mark.parametrize(("seconds", "is_over"), [(-1, False), (0, True)])
def test_an_overdue_request_offers_what_an_expired_one_does(*, seconds: int, is_over: bool) -> None:
    facts = never_sent(
        State.AWAITING_APPROVAL,
        approval_status=ApprovalStatus.OPEN,
        approval_expires_at=NOW,
    )
    at = after(NOW, seconds)
    assert found(ChoiceCode.CANCEL, facts, now=at).is_open is not is_over
    assert found(ChoiceCode.SUPERSEDE, facts, now=at).is_open is is_over


def test_a_halt_closes_release_alone() -> None:
    assert closed_by("halted", replace(UNKNOWN, is_halted=True)) == {ChoiceCode.RELEASE}
