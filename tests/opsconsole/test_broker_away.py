"""A broker that is away costs a request nothing: the hint is lost, the row stays."""

import time

import pytest
from celery import Celery
from kombu.exceptions import OperationalError

from opsconsole import settings as product


def test_a_hint_to_a_broker_that_is_away_fails_at_once(monkeypatch):
    monkeypatch.delenv("CELERY_BROKER_URL")  # Celery prefers it to what it is told
    app = Celery("away", broker="redis://127.0.0.1:1/0", set_as_current=False)
    app.conf.broker_connection_timeout = product.CELERY_BROKER_CONNECTION_TIMEOUT
    app.conf.broker_transport_options = product.REDIS_OPTIONS
    for _ in range(2):  # the first one also imports the transport
        started = time.monotonic()
        with pytest.raises(OperationalError):
            app.send_task("operations.tasks.dispatch_operation", args=["x"], retry=False)
    assert time.monotonic() - started < 0.5
