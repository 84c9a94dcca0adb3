"""The numbers at /metrics are those of the record."""

import re
from datetime import timedelta

import pytest
from django.db import OperationalError, connection

from operations import clock
from operations.actions.cancel_operation import cancel_operation
from operations.protocol.states import Question, State
from operations.registry import DRILL
from opsconsole import metrics
from reconciliation.models import LookupGate
from tests import build

DRILLED = {"environment": DRILL, "kind": "drill.order"}


def numbers(client) -> dict[str, float]:
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain")
    lines = re.findall(r"^(opsconsole_\S+) (\S+)$", answer.text, flags=re.MULTILINE)
    return {name: float(number) for name, number in lines}


@pytest.mark.django_db
def test_an_empty_record_shows_every_word_with_a_zero(client):
    found = numbers(client)
    assert found['opsconsole_operations{state="sent_unknown"}'] == 0
    assert found['opsconsole_open_reviews{question="unknown_outcome"}'] == 0
    assert found["opsconsole_oldest_unknown_age_seconds"] == 0
    assert found['opsconsole_lookup_circuit_open{environment="staging",receiver="sandbox"}'] == 0
    assert not any('receiver="manual"' in name for name in found), "it has no lookup"
    assert len(found) == len(State) + len(Question) + 3 + 2


@pytest.mark.django_db
def test_a_circuit_counts_as_open_until_an_answer_closed_it(client):
    opened_at = clock.now() - timedelta(minutes=2)
    LookupGate.objects.create(
        environment="staging",
        receiver="sandbox",
        opened_at=opened_at,
        open_until=opened_at + timedelta(minutes=1),
    )
    found = numbers(client)
    assert found['opsconsole_lookup_circuit_open{environment="staging",receiver="sandbox"}'] == 1
    assert found['opsconsole_lookup_circuit_open{environment="production",receiver="sandbox"}'] == 0


@pytest.mark.django_db
def test_the_oldest_unknown_is_the_age_of_its_mark(client):
    operation, _ = build.a_marked_operation()
    build.an_operation()
    build.move_back(operation, seconds=600)
    found = numbers(client)
    assert found['opsconsole_operations{state="sent_unknown"}'] == 1
    assert found['opsconsole_operations{state="ready"}'] == 1
    assert 600 <= found["opsconsole_oldest_unknown_age_seconds"] < 660


@pytest.mark.django_db
def test_a_count_is_of_one_moment_while_drills_move_on():
    """Whatever happens after the first statement is not in the count, and takes nothing off."""
    moving, _ = build.an_operation(**DRILLED), build.an_operation()

    def move(execute, sql, params, many, context):
        found = execute(sql, params, many, context)
        if "operations_operation" in sql and "count(" in sql.lower():
            moved.append(sql)
            if len(moved) == 1:
                actor = build.agent_actor(moving.agent)
                cancel_operation(operation_id=moving.pk, actor=actor, version=1, reason="over")
                build.an_operation(**DRILLED)
        return found

    moved: list[str] = []
    with connection.execute_wrapper(move):
        counts = metrics._operations()
    assert counts.get("ready") == 1
    assert counts.get("cancelled", 0) == 0
    assert len(moved) == 1


def test_a_database_that_is_away_is_no_metric_at_all(client, monkeypatch):
    def away():
        raise OperationalError("away")

    monkeypatch.setattr(clock, "now", away)
    assert metrics.clock is clock
    assert client.get("/metrics").status_code == 503
