"""How many lookups pass a receiver's gate."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operations.protocol.profiles import Profile
from reconciliation.protocol.circuit import HoldReason
from reconciliation.protocol.room import PACED_SECONDS, GateFacts, Room, room_at

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
LATER, BEFORE = NOW + timedelta(seconds=30), NOW - timedelta(seconds=30)
IDLE = GateFacts(
    opened_at=None,
    open_until=None,
    probe_ends_at=None,
    held_until=None,
    next_ask_at=None,
    under_way=0,
)
HALF_OPEN = replace(IDLE, opened_at=BEFORE, open_until=NOW)


def room(gate: GateFacts = IDLE, *, wanted: int = 32, **profile) -> Room:
    known = Profile(receiver="shop", connector="http", **{"lookups_at_once": 5, **profile})
    return room_at(gate, known, wanted=wanted, now=NOW)


@pytest.mark.parametrize(("wanted", "under_way", "count"), [(32, 0, 5), (3, 0, 3), (32, 4, 1)])
def test_there_is_room_for_as_many_as_the_profile_says_at_once(wanted, under_way, count):
    assert room(replace(IDLE, under_way=under_way), wanted=wanted) == Room(count=count)


@pytest.mark.parametrize("under_way", [5, 6])
def test_a_busy_receiver_has_none_and_says_no_time(under_way):
    assert room(replace(IDLE, under_way=under_way)) == Room(reason=HoldReason.BUSY)


def test_an_open_circuit_lets_none_through():
    gate = replace(IDLE, opened_at=BEFORE, open_until=LATER)
    assert room(gate) == Room(reason=HoldReason.CIRCUIT, until=LATER)


def test_after_its_pause_one_goes_through_as_the_probe():
    assert room(HALF_OPEN) == Room(count=1, is_probe=True)


def test_while_the_probe_is_under_way_none_does():
    gate = replace(HALF_OPEN, probe_ends_at=LATER)
    assert room(gate) == Room(reason=HoldReason.CIRCUIT, until=LATER)


def test_a_probe_whose_lease_is_over_is_replaced():
    assert room(replace(HALF_OPEN, probe_ends_at=NOW)).is_probe


def test_a_receiver_that_asked_to_be_left_alone_is():
    gate = replace(IDLE, held_until=LATER)
    assert room(gate) == Room(reason=HoldReason.RETRY_AFTER, until=LATER)
    assert room(replace(IDLE, held_until=NOW)).count == 5


def test_a_budget_of_less_than_one_a_second_gives_one():
    one = room(lookups_per_minute=6)
    assert (one.count, one.next_ask_at) == (1, NOW + timedelta(seconds=10))


def test_a_spent_budget_says_when_the_next_one_is():
    assert room(replace(IDLE, next_ask_at=LATER), lookups_per_minute=6) == Room(
        reason=HoldReason.BUDGET, until=LATER
    )


def test_the_probe_spends_the_budget_too():
    one = room(HALF_OPEN, lookups_per_minute=600)
    assert (one.count, one.is_probe, one.next_ask_at) == (1, True, NOW + timedelta(seconds=0.1))


@given(per_minute=st.integers(1, 100_000), at_once=st.integers(1, 64), wanted=st.integers(1, 64))
def test_no_minute_has_more_than_the_budget(per_minute, at_once, wanted):
    """However many come together: each leaves a spacing after the last, the next batch too."""
    some = room(wanted=wanted, lookups_at_once=at_once, lookups_per_minute=per_minute)
    spacing = 60 / per_minute
    assert 1 <= some.count <= min(wanted, at_once)
    assert some.spacing_seconds == spacing
    assert (some.count - 1) * spacing <= PACED_SECONDS
    assert abs((some.next_ask_at - NOW).total_seconds() - some.count * spacing) < 1e-5
