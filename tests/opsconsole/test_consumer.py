"""What a worker takes from a queue: the hints that we send, and nothing that looks like them."""

import json
from types import SimpleNamespace

import pytest
from celery import current_app
from django.conf import settings
from kombu.exceptions import OperationalError

from operations import hints
from opsconsole import broker
from opsconsole.consumer import Consumer, plain_headers, require_hint
from tests.campaigns.surroundings.forgeries import DISPATCH, forged_messages, message

OWN_ID = "e3a1"


def as_it_arrives(raw: bytes) -> SimpleNamespace:
    """A message as the transport hands it over."""
    with current_app.connection_for_read("memory://") as connection:
        found = connection.channel().Message(json.loads(raw), channel=connection.channel())
    return SimpleNamespace(
        body=found.body,
        headers=found.headers,
        content_type=found.content_type,
        content_encoding=found.content_encoding,
    )


@pytest.mark.parametrize("task", [hints.DISPATCH, hints.RECONCILE])
def test_a_hint_of_our_own_is_taken(task):
    with current_app.connection_for_write("memory://") as connection:
        current_app.send_task(
            task, args=[OWN_ID], expires=settings.HINT_LIVES_SECONDS, connection=connection
        )
        queue = connection.SimpleQueue(current_app.amqp.router.route({}, task)["queue"].name)
        sent = queue.get(timeout=5)
        require_hint(sent)
        kept = plain_headers(sent.headers)
    assert (kept["task"], kept["id"]) == (task, sent.headers["id"])
    assert kept["expires"] == sent.headers["expires"]


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"arguments": ["x" * 5_000]}, "expected 4096 bytes at most, got 5014"),
        ({"arguments": [1]}, "expected a list of ids as arguments"),
        ({"arguments": {}}, "expected a list of ids as arguments"),
        ({"arguments": [], "body": b"[]"}, "expected arguments, options and follow-ups"),
        ({"arguments": [], "body": b'[[], {"countdown": 9}, {}]'}, "expected no named arguments"),
        ({"arguments": [], "body": b'[[], {}, {"chain": ["x"]}]'}, "and no follow-ups"),
        ({"arguments": [], "content-type": "application/x-yaml"}, "expected JSON in UTF-8, got"),
    ],
)
def test_what_is_no_hint_is_refused_with_a_sentence(named, said):
    arguments = named.pop("arguments")
    with pytest.raises(ValueError, match=said):
        require_hint(as_it_arrives(message(DISPATCH, arguments, **named)))


@pytest.mark.parametrize(
    "odd", [{"task": 7}, {"id": None}, {"id": ["x"]}, {"expires": "soon"}, {"expires": 7}]
)
def test_headers_that_no_hint_has_are_refused(odd):
    with pytest.raises((ValueError, TypeError)):
        plain_headers({"task": DISPATCH, "id": OWN_ID} | odd)


def test_headers_that_would_steer_the_worker_are_dropped():
    steering = {"timelimit": ["long", 1], "eta": "2999-01-01", "callbacks": [1], "retries": "x"}
    kept = plain_headers({"task": DISPATCH, "id": OWN_ID} | steering)
    assert set(kept) == {"lang", "task", "id", "root_id", "expires"}


def test_a_refused_message_leaves_the_queue_and_the_worker_goes_on(monkeypatch):
    taken = []
    monkeypatch.setattr(
        "celery.worker.consumer.Consumer.create_task_handler", lambda self: taken.append
    )
    consumer = object.__new__(Consumer)
    with current_app.connection_for_read("redis://127.0.0.1:1/0") as connection:
        consumer.connection_errors = connection.connection_errors
    assert KeyError in consumer.connection_errors, "kombu's own trap: a header that is missing"
    take = consumer.create_task_handler()
    rejected = []
    for raw in forged_messages():
        try:
            arrived = as_it_arrives(raw)
        except Exception:  # the transport's to drop, not the consumer's
            continue
        arrived.acknowledged = False
        arrived.reject_log_error = lambda *given: rejected.append(given)
        take(arrived)
    assert len(taken) >= 10
    assert len(rejected) >= 20


def test_every_address_of_a_redis_is_served_by_our_transport():
    for scheme in ("redis", "rediss"):
        with current_app.connection_for_read(f"{scheme}://127.0.0.1:1/0") as connection:
            assert isinstance(connection, broker.Connection)
            assert isinstance(connection.transport, broker.Transport)


def test_a_broker_that_is_away_is_looked_for_again_and_again(monkeypatch):
    waits = []
    with current_app.connection_for_read("redis://127.0.0.1:1/0") as connection:
        monkeypatch.setattr("kombu.utils.functional.sleep", lambda seconds: None)
        with pytest.raises(OperationalError):
            connection.ensure_connection(lambda error, wait: waits.append(wait), max_retries=20)
    assert waits[1:] == [broker.LOOK_AGAIN_SECONDS] * (len(waits) - 1)
    assert len(waits) == 20
