"""Acts of people that were refused for who they are: each leaves an entry on the access trail."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction

from operations import clock
from operations.actors import Actor
from operations.audit import ACCESS, append_entry
from operations.protocol.refusals import NotPermitted, OwnRequest, Refusal


@contextmanager
def a_persons_act(act: str, *, actor: Actor, subject: object = "") -> Iterator[None]:
    """One transaction for one act. NotPermitted and OwnRequest undo it, and are recorded.

    `subject` is what the act was about, such as an operation's id.
    """
    try:
        with transaction.atomic():
            yield
    except (NotPermitted, OwnRequest) as refusal:
        _record(act, refusal, actor=actor, subject=subject)
        raise


def _record(act: str, refusal: Refusal, *, actor: Actor, subject: object) -> None:
    detail: dict[str, Any] = {
        "act": act,
        "subject": str(subject),
        "code": refusal.code,
        "why": refusal.detail,
    }
    with transaction.atomic():
        append_entry(
            about=None,
            stream=ACCESS,
            event="refused_act",
            actor=actor,
            at=clock.now(),
            detail=detail,
        )
