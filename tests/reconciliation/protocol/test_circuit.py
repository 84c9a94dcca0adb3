from datetime import UTC, datetime, timedelta

import pytest

from reconciliation.protocol.circuit import (
    CircuitState,
    HoldReason,
    circuit_state,
    held_until,
    hold_sentence,
    is_receivers_failure,
)

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(seconds=30)


@pytest.mark.parametrize(
    ("opened_at", "open_until", "state"),
    [
        (None, None, CircuitState.CLOSED),
        (NOW, LATER, CircuitState.OPEN),
        (NOW, NOW, CircuitState.HALF_OPEN),
        (NOW - timedelta(seconds=60), NOW - timedelta(seconds=30), CircuitState.HALF_OPEN),
    ],
)
def test_a_circuit_is_open_until_its_pause_is_over(opened_at, open_until, state):
    assert circuit_state(opened_at=opened_at, open_until=open_until, now=NOW) is state


@pytest.mark.parametrize("status", [None, 200, 204, 302, 404, 408, 429, 500, 503])
def test_silence_errors_and_what_can_not_be_read_speak_against_the_receiver(status):
    assert is_receivers_failure(status=status, is_ours=False)
    assert not is_receivers_failure(status=status, is_ours=True)


@pytest.mark.parametrize("status", [400, 401, 403, 422, 499])
def test_an_answer_to_what_we_asked_does_not(status):
    assert not is_receivers_failure(status=status, is_ours=False)


def seconds_held(times_held: int, jitter: float) -> float:
    until = held_until(may_ask_at=NOW, times_held=times_held, interval_seconds=10, jitter=jitter)
    return (until - NOW).total_seconds()


def test_what_is_held_back_comes_back_spread_out_and_never_before_it_may_ask():
    assert [seconds_held(1, jitter) for jitter in (0, 0.5, 1)] == [1, 6, 11]


def test_the_spread_doubles_with_each_time_to_sixteen_intervals():
    assert [seconds_held(times, 1) for times in range(1, 8)] == [11, 21, 41, 81, 161, 161, 161]


@pytest.mark.parametrize("reason", list(HoldReason))
def test_each_reason_is_a_sentence_that_names_the_receiver(reason):
    told = hold_sentence(reason, receiver="shop", last_error="status 500.")
    assert "shop" in told
    is_of_the_receiver = reason in (HoldReason.CIRCUIT, HoldReason.RETRY_AFTER)
    assert ("status 500" in told) == is_of_the_receiver
