"""Rule 4 over every combination of facts: what a receipt may and may not bring about."""

from collections.abc import Iterator
from itertools import product

import pytest

from operations.protocol.receipts import Judged
from operations.protocol.settlement import OWN_AUTHORITY, Consequence, Evidence, consequence
from operations.protocol.states import (
    OPEN_STATES,
    Channel,
    Question,
    ReceiptStatus,
    State,
    Verdict,
)
from operations.protocol.transitions import Event, next_state

EVER_SENT = {State.SENT_UNKNOWN, State.CONFIRMED, State.REFUSED, State.NOT_EXECUTED}


def every_evidence(state: State) -> Iterator[Evidence]:
    either = (True, False)
    for attempt_count, channel, judged, status, same, taken, stale in product(
        (0, 1, 2), Channel, Judged, ReceiptStatus, (True, False, None), either, either
    ):
        if judged is Judged.MATCH and status is not ReceiptStatus.CONFIRMED:
            continue  # only a confirmed receipt is ever judged a match
        if state in EVER_SENT and attempt_count == 0:
            continue
        yield Evidence(
            state=state,
            has_attempt=attempt_count > 0,
            is_only_attempt=attempt_count == 1,
            channel=channel,
            judged=judged,
            status=status,
            has_differences=judged is Judged.MISMATCH,
            is_same_effect=same,
            is_effect_taken=taken,
            is_stale=stale,
        )


CASES = {
    state: [(evidence, consequence(evidence)) for evidence in every_evidence(state)]
    for state in State
}


@pytest.mark.parametrize("state", list(State))
def test_it_confirms_exactly_on_a_current_match_of_what_was_sent(state: State) -> None:
    for evidence, follows in CASES[state]:
        confirms = (
            state in OPEN_STATES
            and evidence.has_attempt
            and evidence.judged is Judged.MATCH
            and not evidence.is_stale
            and not evidence.is_effect_taken
        )
        assert (follows.event is Event.CONFIRM) == confirms, evidence
        assert (follows.verdict is Verdict.CONFIRMED) == confirms, evidence


@pytest.mark.parametrize("state", list(State))
def test_it_refuses_only_by_the_receivers_own_record_of_the_only_attempt(state: State) -> None:
    for evidence, follows in CASES[state]:
        if follows.event is Event.REFUSE:
            assert state is State.SENT_UNKNOWN
            assert evidence.is_only_attempt
            assert evidence.status is ReceiptStatus.REFUSED
            assert evidence.channel in OWN_AUTHORITY
            assert not evidence.is_stale


@pytest.mark.parametrize("state", list(State))
def test_whatever_speaks_of_an_effect_and_settles_nothing_is_asked_about(state: State) -> None:
    for evidence, follows in CASES[state]:
        if evidence.status is ReceiptStatus.REFUSED or _settles(follows):
            continue
        is_old_word = state is State.CONFIRMED and evidence.judged is Judged.NOT_PROOF
        assert follows.needs_explanation or (is_old_word and evidence.is_same_effect is not False)


def _settles(follows: Consequence) -> bool:
    return follows.verdict in (Verdict.CONFIRMED, Verdict.ALREADY_CONFIRMED)


@pytest.mark.parametrize("state", list(State))
def test_every_event_is_one_that_the_state_allows(state: State) -> None:
    for _, follows in CASES[state]:
        assert follows.event is None or next_state(state, follows.event)


@pytest.mark.parametrize("state", list(State))
def test_a_question_always_has_evidence_to_explain(state: State) -> None:
    assert all(follows.needs_explanation for _, follows in CASES[state] if follows.question)


def test_a_second_effect_of_a_confirmed_operation_is_a_duplicate() -> None:
    for evidence, follows in CASES[State.CONFIRMED]:
        if evidence.judged is Judged.MATCH and evidence.is_same_effect is False:
            assert follows.question is Question.DUPLICATE_EFFECT


def test_a_lesser_source_that_names_the_effect_corroborates_and_confirms_nothing() -> None:
    for evidence, follows in CASES[State.CONFIRMED]:
        is_lesser = evidence.judged is Judged.NOT_PROOF
        if is_lesser and evidence.status is ReceiptStatus.CONFIRMED and evidence.is_same_effect:
            assert follows == Consequence(Verdict.ALREADY_CONFIRMED)


@pytest.mark.parametrize("state", [State.REFUSED, State.NOT_EXECUTED, State.CANCELLED])
def test_a_word_of_an_effect_after_a_settlement_is_late(state: State) -> None:
    for evidence, follows in CASES[state]:
        if evidence.status is not ReceiptStatus.REFUSED:
            assert follows.question is Question.LATE_RECEIPT
