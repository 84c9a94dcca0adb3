"""Liveness, readiness and the numbers, as whatever watches us sees them."""

import pytest
from django.db import OperationalError, connection

from opsconsole import health


def test_liveness_asks_nobody(client):
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "live"})


@pytest.mark.django_db
def test_readiness_tells_each_part(client):
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {
        "status": "ready",
        "database": "ok",
        "migrations": "applied",
        "grants": "enforced",
        "broker": "ok",
    }


@pytest.mark.django_db
def test_a_migration_that_is_not_applied_makes_us_unready(client):
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL search_path = pg_temp")  # a database where nothing is applied
        answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["status"] == "not ready"


def test_a_database_that_is_away_makes_us_unready(client, monkeypatch):
    def away():
        raise OperationalError("connection refused\nIs the server running?")

    monkeypatch.setattr(health, "_database", away)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["database"] == "away"
    assert answer.json()["detail"] == "connection refused"


@pytest.mark.django_db
def test_a_broker_that_is_away_is_told_and_does_not_matter(client, settings):
    from celery import current_app

    url = current_app.conf.broker_write_url
    current_app.conf.broker_write_url = "redis://127.0.0.1:1/0"
    try:
        answer = client.get("/readyz")
    finally:
        current_app.conf.broker_write_url = url
    assert (answer.status_code, answer.json()["broker"]) == (200, "away")
