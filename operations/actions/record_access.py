"""Who came in, who was turned away, who changed who may do what: the access trail."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from operations import clock
from operations.actors import Actor
from operations.audit import ACCESS, append_entry


@transaction.atomic
def record_access(
    *, event: str, actor: Actor, detail: Mapping[str, Any] | None = None, reason: str = ""
) -> None:
    """One entry of the access trail. What may name a person belongs into `reason`, which is
    erasable; `detail` keeps ids."""
    append_entry(
        about=None,
        stream=ACCESS,
        event=event,
        actor=actor,
        at=clock.now(),
        detail=detail,
        reason=reason,
    )
