"""A hint is worth nothing but time: a broker that gives none is left alone for a while."""

import time
from typing import Any
from uuid import uuid4

import pytest
from celery import current_app
from kombu.exceptions import OperationalError

from operations import hints

pytestmark = pytest.mark.django_db(transaction=True)

HANGS_SECONDS = 0.3


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tasks that were told to a broker that hangs and then gives no answer."""
    asked: list[str] = []

    def send_task(name: str, **_more: Any) -> None:
        asked.append(name)
        time.sleep(HANGS_SECONDS)
        raise OperationalError("Timeout reading from socket")

    monkeypatch.setattr(current_app, "send_task", send_task)
    monkeypatch.setattr(hints._Rest, "until", 0.0)
    return asked


def test_one_lost_hint_is_waited_for_and_the_next_ones_are_not(asked: list[str]) -> None:
    started_at = time.monotonic()
    for _ in range(20):
        hints.dispatch_soon(uuid4())
    assert time.monotonic() - started_at < 2 * HANGS_SECONDS
    assert asked == [hints.DISPATCH]


def test_hints_are_sent_again_after_the_rest(
    asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hints, "REST_SECONDS", 0.0)
    hints.dispatch_soon(uuid4())
    hints.reconcile_soon(uuid4())
    assert asked == [hints.DISPATCH, hints.RECONCILE]
