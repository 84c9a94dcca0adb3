"""When to look again."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciliation.protocol.schedule import Pace, next_look_at

NOW = datetime(2025, 11, 30, 12, tzinfo=UTC)


def seconds_until_next(**given) -> float | None:
    values = {
        "now": NOW,
        "pace": Pace.GROWING,
        "look_count": 1,
        "interval_seconds": 10,
        "jitter": 0.0,
        **given,
    }
    at = next_look_at(**values)
    return None if at is None else (at - NOW).total_seconds()


@pytest.mark.parametrize(
    ("look_count", "seconds"),
    [(0, 10), (1, 10), (2, 20), (3, 40), (4, 80), (5, 160), (6, 160), (10_000, 160)],
)
def test_the_pause_doubles_to_sixteen_intervals(look_count, seconds):
    assert seconds_until_next(look_count=look_count) == seconds


def test_jitter_adds_up_to_a_quarter():
    assert seconds_until_next(jitter=1.0) == 12.5


@pytest.mark.parametrize(
    ("look_count", "seconds"),
    [(0, 320), (6, 320), (7, 640), (10, 5_120), (11, 10_240), (12, 10_240), (10_000, 10_240)],
)
def test_once_a_person_is_asked_it_grows_from_32_intervals_to_1024(look_count, seconds):
    assert seconds_until_next(pace=Pace.SLOW, look_count=look_count) == seconds


@pytest.mark.parametrize(("interval_seconds", "seconds"), [(900, 86_400), (7_200, 230_400)])
def test_while_a_person_is_asked_a_day_passes_at_most_or_32_intervals(interval_seconds, seconds):
    given = {"pace": Pace.SLOW, "look_count": 40, "interval_seconds": interval_seconds}
    assert seconds_until_next(**given) == seconds


def test_stop_means_no_more():
    assert seconds_until_next(pace=Pace.STOP, retry_after_seconds=5) is None


def test_the_end_of_the_quarantine_is_not_slept_through():
    assert seconds_until_next(look_count=5, no_later_than=NOW + timedelta(seconds=30)) == 30


@pytest.mark.parametrize("seconds", [-1, 0, 200])
def test_a_quarantine_that_is_over_or_further_off_changes_nothing(seconds):
    at = NOW + timedelta(seconds=seconds)
    assert seconds_until_next(look_count=5, no_later_than=at) == 160


def test_retry_after_is_honoured_even_over_the_quarantine():
    ends_at = NOW + timedelta(seconds=30)
    assert seconds_until_next(no_later_than=ends_at, retry_after_seconds=600) == 600


def test_a_short_retry_after_does_not_hurry():
    assert seconds_until_next(retry_after_seconds=1) == 10


@given(
    pace=st.sampled_from([Pace.GROWING, Pace.SLOW]),
    look_count=st.integers(0, 10**9),
    interval_seconds=st.integers(1, 86_400),
    jitter=st.floats(0, 1),
    retry_after_seconds=st.none() | st.integers(0, 86_400),
)
def test_the_next_look_is_always_ahead_and_never_sooner_than_asked(**given):
    seconds = seconds_until_next(**given)
    assert seconds is not None
    assert seconds >= given["interval_seconds"]
    assert seconds >= (given["retry_after_seconds"] or 0)
