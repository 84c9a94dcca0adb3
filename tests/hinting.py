"""What a sweep tells the broker, seen where it leaves for it."""

from collections.abc import Callable
from typing import Any

import pytest
from celery import current_app

type Hint = tuple[str, ...]


@pytest.fixture(name="hints_of")
def hints_of_fixture(
    monkeypatch, django_capture_on_commit_callbacks
) -> Callable[[Callable[[], None]], list[Hint]]:
    """Runs a sweep; its hints as (task, arguments …), in their order."""
    sent: list[Hint] = []

    def send_task(name: str, *, args: list[str], **_more: Any) -> None:
        sent.append((name, *args))

    monkeypatch.setattr(current_app, "send_task", send_task)

    def hints_of(sweep: Callable[[], None]) -> list[Hint]:
        sent.clear()
        with django_capture_on_commit_callbacks(execute=True):
            sweep()
        return list(sent)

    return hints_of
