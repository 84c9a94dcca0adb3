"""Rule 4 over every combination of facts: what a receipt may and may not bring about."""

from collections.abc import Iterator
from itertools import product
from typing import Any

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


SENDERS_WORDS = [Channel.RESPONSE, Channel.PERSON]
RECEIVERS_WORDS = [Channel.LOOKUP, Channel.WEBHOOK, Channel.STATEMENT]
ANOTHER = {"judged": Judged.MISMATCH, "has_differences": True}
A_NO = {"judged": Judged.NOT_PROOF, "status": ReceiptStatus.REFUSED}
PENDING = {"judged": Judged.NOT_PROOF, "status": ReceiptStatus.PENDING}
REPORTED = {"state": State.CONFIRMED, "is_same_effect": False, "is_only_reported": True}


def evidence_of(**changes: Any) -> Evidence:
    """A match that a lookup found for the only attempt of an unknown outcome."""
    return Evidence(
        **{
            "state": State.SENT_UNKNOWN,
            "has_attempt": True,
            "is_only_attempt": True,
            "channel": Channel.LOOKUP,
            "judged": Judged.MATCH,
            "status": ReceiptStatus.CONFIRMED,
            "has_differences": False,
            "is_same_effect": None,
            **changes,
        }
    )


def asks(verdict: Verdict, question: Question) -> Consequence:
    return Consequence(verdict, question=question, needs_explanation=True)


def test_what_is_not_said_of_a_receipt_is_not_held_against_it() -> None:
    assert consequence(evidence_of()) == Consequence(Verdict.CONFIRMED, event=Event.CONFIRM)
    assert Consequence(Verdict.KEPT) == Consequence(
        Verdict.KEPT, event=None, question=None, needs_explanation=False
    )


def test_a_lookup_a_webhook_and_a_statement_speak_for_the_receiver() -> None:
    assert set(RECEIVERS_WORDS) == OWN_AUTHORITY == set(Channel) - set(SENDERS_WORDS)


@pytest.mark.parametrize("state", sorted(OPEN_STATES))
def test_while_it_is_open_a_receipt_confirms_or_asks(state: State) -> None:
    kept_unexplained = Consequence(Verdict.KEPT, needs_explanation=True)
    mismatch = asks(Verdict.MISMATCH, Question.RECEIPT_MISMATCH)
    pending = Consequence(Verdict.NOT_PROOF, needs_explanation=True)
    assert consequence(evidence_of(state=state, is_stale=True)) == kept_unexplained
    assert consequence(evidence_of(state=state, **ANOTHER)) == mismatch
    assert consequence(evidence_of(state=state, is_effect_taken=True)) == mismatch
    assert consequence(evidence_of(state=state, **PENDING)) == pending


@pytest.mark.parametrize("channel", RECEIVERS_WORDS)
def test_the_receivers_own_no_settles_the_only_attempt(channel: Channel) -> None:
    refused = Consequence(Verdict.KEPT, event=Event.REFUSE)
    assert consequence(evidence_of(channel=channel, **A_NO)) == refused


@pytest.mark.parametrize(
    "change",
    [
        *({"channel": channel} for channel in SENDERS_WORDS),
        {"is_only_attempt": False},
        {"has_differences": True},
        {"state": State.READY},
        {"state": State.AWAITING_APPROVAL},
    ],
)
def test_any_other_no_is_kept_and_settles_nothing(change: dict[str, Any]) -> None:
    assert consequence(evidence_of(**{**A_NO, **change})) == Consequence(Verdict.KEPT)


@pytest.mark.parametrize("state", [State.READY, State.AWAITING_APPROVAL])
@pytest.mark.parametrize(
    ("said", "verdict"),
    [({}, Verdict.KEPT), (ANOTHER, Verdict.MISMATCH), (PENDING, Verdict.NOT_PROOF)],
)
def test_an_effect_of_what_was_never_sent_is_asked_about(
    state: State, said: dict[str, Any], verdict: Verdict
) -> None:
    unsent = {"state": state, "has_attempt": False, "is_only_attempt": False}
    found = consequence(evidence_of(**unsent, **said))
    assert found == asks(verdict, Question.RECEIPT_MISMATCH)
    assert consequence(evidence_of(**unsent, **A_NO)) == Consequence(Verdict.KEPT)


@pytest.mark.parametrize("state", [State.REFUSED, State.NOT_EXECUTED, State.CANCELLED])
def test_after_a_settlement_without_effect_a_no_agrees_and_another_payload_shows(
    state: State,
) -> None:
    late = asks(Verdict.LATE, Question.LATE_RECEIPT)
    assert consequence(evidence_of(state=state, **A_NO)) == Consequence(Verdict.KEPT)
    assert consequence(evidence_of(state=state)) == late
    assert consequence(evidence_of(state=state, **PENDING)) == late
    another = consequence(evidence_of(state=state, **ANOTHER))
    assert another == asks(Verdict.MISMATCH, Question.LATE_RECEIPT)


@pytest.mark.parametrize(
    ("said", "follows"),
    [
        ({}, Consequence(Verdict.ALREADY_CONFIRMED)),
        ({"is_same_effect": True}, Consequence(Verdict.ALREADY_CONFIRMED)),
        (ANOTHER, asks(Verdict.MISMATCH, Question.CONTRADICTION)),
        ({**ANOTHER, "is_same_effect": True}, asks(Verdict.MISMATCH, Question.CONTRADICTION)),
        (A_NO, asks(Verdict.KEPT, Question.CONTRADICTION)),
        (PENDING, Consequence(Verdict.NOT_PROOF)),
        ({**PENDING, "is_same_effect": True}, Consequence(Verdict.NOT_PROOF)),
        ({"judged": Judged.NOT_PROOF}, Consequence(Verdict.NOT_PROOF)),
    ],
)
def test_once_confirmed_only_a_denial_is_asked_about(
    said: dict[str, Any], follows: Consequence
) -> None:
    assert consequence(evidence_of(state=State.CONFIRMED, **said)) == follows


@pytest.mark.parametrize("channel", list(Channel))
@pytest.mark.parametrize(
    ("said", "verdict", "question"),
    [
        ({}, Verdict.LATE, Question.DUPLICATE_EFFECT),
        (PENDING, Verdict.NOT_PROOF, Question.DUPLICATE_EFFECT),
        (ANOTHER, Verdict.MISMATCH, Question.RECEIPT_MISMATCH),
    ],
)
def test_the_receivers_other_effect_denies_only_what_an_agent_reported(
    channel: Channel, said: dict[str, Any], verdict: Verdict, question: Question
) -> None:
    other = evidence_of(**{**REPORTED, "channel": channel, **said})
    expected = Question.CONTRADICTION if channel in RECEIVERS_WORDS else question
    assert consequence(other) == asks(verdict, expected)
    known = evidence_of(**{**REPORTED, "is_only_reported": False, "channel": channel, **said})
    assert consequence(known) == asks(verdict, question)


def test_a_no_about_another_effect_is_only_kept() -> None:
    assert consequence(evidence_of(**REPORTED, **A_NO)) == Consequence(Verdict.KEPT)
