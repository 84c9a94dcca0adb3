"""What is asked about a receiver's gate: what is under way, what waits, how long finds take."""

from datetime import timedelta

import pytest

from operations import clock
from operations.actors import Actor
from operations.models import Operation
from operations.protocol.payloads import dumps
from operations.protocol.states import Channel
from operations.receivers.base import Found, NotFound
from reconciliation.actions.lookup_row import Asked
from reconciliation.actions.record_lookup import record_lookup
from reconciliation.models import LookupGate
from reconciliation.protocol.circuit import CircuitState
from reconciliation.queries.gates import Gate, gates, lags
from reconciliation.queries.receivers import DAY, standings
from tests.build import a_marked_operation, a_receipt, move_back, receive

pytestmark = pytest.mark.django_db

PLACE = ("production", "sandbox")


def ask(operation: Operation, *, is_there: bool) -> None:
    """A lookup under nobody's claim; it changes no schedule."""
    value = a_receipt(operation, effect_id=f"eff of {operation.key}")
    raw = dumps(value).encode()
    record_lookup(
        asked=Asked(operation_id=operation.pk, generation=1, token=0, asked_at=clock.now()),
        seen=Found(receipt_value=value, raw=raw, status=200)
        if is_there
        else NotFound(raw=b"", status=404),
        actor=Actor.system("reconciler"),
    )


def found_after(seconds: int) -> Operation:
    operation, _ = a_marked_operation()
    move_back(operation, seconds)
    ask(operation, is_there=True)
    return operation


def test_a_receiver_that_was_never_asked_has_no_gate_and_is_shown_closed():
    assert gates(now=clock.now()) == {}
    assert standings(now=clock.now())[PLACE].gate == Gate()


def test_the_circuit_is_told_as_it_is_now():
    now = clock.now()
    LookupGate.objects.create(
        environment=PLACE[0],
        receiver=PLACE[1],
        failures_in_row=7,
        last_error="status 500",
        last_error_at=now,
        opened_at=now,
        open_until=now + timedelta(seconds=30),
        held_until=now - timedelta(seconds=1),
    )
    gate = standings(now=now)[PLACE].gate
    assert (gate.circuit, gate.failures_in_row, gate.last_error) == (
        CircuitState.OPEN,
        7,
        "status 500",
    )
    assert gate.retry_after is None
    assert gates(now=gate.open_until)[PLACE].circuit is CircuitState.HALF_OPEN


def test_the_lag_is_from_the_mark_to_the_first_find():
    for seconds in (10, 20, 30, 40, 50):
        found_after(seconds)
    again = found_after(20)
    ask(again, is_there=True)
    lag = lags(since=clock.now() - DAY)[PLACE]
    assert 19 < lag.p50.total_seconds() < 27
    assert 45 < lag.p95.total_seconds() < 55


def test_what_was_found_earlier_or_by_another_road_or_not_at_all_has_no_lag():
    old = found_after(60)
    move_back(old, 25 * 3600)
    ask(old, is_there=True)
    told, _ = a_marked_operation()
    receive(told, a_receipt(told), channel=Channel.WEBHOOK)
    absent, _ = a_marked_operation()
    ask(absent, is_there=False)
    assert lags(since=clock.now() - DAY) == {}
