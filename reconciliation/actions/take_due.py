"""A worker takes many due lookups of one receiver at once, as many as the receiver has room for."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from operations import clock
from operations.actions.take_slots import lock_due, take_slots
from operations.actors import Actor
from operations.receivers.base import ReceiverConfig
from reconciliation.actions.ask_receiver import LEASE_SECONDS, Asking
from reconciliation.actions.pass_gate import note_probe, pass_gate


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What was taken. `taken_at` is the database's clock, before any of them is asked.

    Each leaves `spacing_seconds` after the one before it. Where none was taken for want of a
    budget that comes soon, `wait_seconds` says how soon.
    """

    askings: Sequence[Asking] = ()
    taken_at: datetime | None = None
    spacing_seconds: float = 0.0
    wait_seconds: float | None = None


@transaction.atomic(durable=True)
def take_due(*, config: ReceiverConfig, holder: str, actor: Actor, limit: int) -> Taken:
    """Take at most `limit` of the receiver's due lookups; what has no room is left as it is."""
    place = {"environment": config.environment, "receiver": config.name}
    ids = lock_due(**place, limit=limit)
    if not ids:
        return Taken()
    room = pass_gate(**place, profile=config.profile, wanted=len(ids))
    now = clock.now()
    if not room.count:
        return Taken(wait_seconds=(room.until - now).total_seconds() if room.until else None)
    taken = take_slots(
        ids=ids[: room.count], holder=holder, lease_seconds=LEASE_SECONDS, actor=actor
    )
    askings = [
        Asking(operation=each, token=each.claim_token, config=config)
        for each in taken
        if each.claim_token is not None
    ]
    if room.is_probe and askings:
        note_probe(**place, token=askings[0].token, lease_seconds=LEASE_SECONDS)
    return Taken(askings=askings, taken_at=now, spacing_seconds=room.spacing_seconds)
