"""An act that its actor has no right to: refused, and on record in the access trail."""

from django.db import transaction

from operations import clock
from operations.actors import Actor
from operations.audit import ACCESS, append_entry
from operations.protocol.refusals import NotPermitted


@transaction.atomic
def refuse_access(actor: Actor, *, expected: str, got: str) -> NotPermitted:
    """The refusal to raise, once the entry that tells of it is written."""
    append_entry(
        about=None,
        stream=ACCESS,
        event="not_permitted",
        actor=actor,
        at=clock.now(),
        detail={"expected": expected, "got": got},
    )
    return NotPermitted(expected=expected, got=got)
