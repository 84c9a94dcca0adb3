"""The numbers at /metrics are those of the record."""

import re

import pytest
from django.db import OperationalError

from operations import clock
from operations.protocol.states import Question, State
from opsconsole import metrics
from tests import build


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
    assert len(found) == len(State) + len(Question) + 3


@pytest.mark.django_db
def test_the_oldest_unknown_is_the_age_of_its_mark(client):
    operation, _ = build.a_marked_operation()
    build.an_operation()
    build.move_back(operation, seconds=600)
    found = numbers(client)
    assert found['opsconsole_operations{state="sent_unknown"}'] == 1
    assert found['opsconsole_operations{state="ready"}'] == 1
    assert 600 <= found["opsconsole_oldest_unknown_age_seconds"] < 660


def test_a_database_that_is_away_is_no_metric_at_all(client, monkeypatch):
    def away():
        raise OperationalError("away")

    monkeypatch.setattr(clock, "now", away)
    assert metrics.clock is clock
    assert client.get("/metrics").status_code == 503
