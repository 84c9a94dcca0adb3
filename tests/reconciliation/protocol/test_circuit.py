from datetime import UTC, datetime, timedelta

import pytest

from reconciliation.protocol.circuit import (
    CircuitState,
    circuit_state,
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
