"""Asking a receiver for one operation, whatever the answer: no exception leaves here."""

from dataclasses import dataclass

import structlog

from operations.models import Operation
from operations.protocol.words import storable
from operations.receivers.base import ConfigMistake, CouldNotAsk, Observation, ReceiverConfig
from operations.receivers.connectors import connector, narrowed

log = structlog.get_logger()

ASK_SECONDS = 10
# Longer than asking takes, so that a slow answer is still written under its own claim.
LEASE_SECONDS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """What is to be asked, under which reconcile claim."""

    operation: Operation
    token: int
    config: ReceiverConfig


def ask_receiver(asking: Asking) -> Observation:
    """What the receiver has under the operation's key; within ASK_SECONDS, and no database."""
    operation = asking.operation
    try:
        asker = connector(asking.config)
        if asker is None:
            detail = f"receiver {asking.config.name} has no interface."
            return CouldNotAsk(detail=detail, is_ours=True)
        asker = narrowed(
            asker, payload_text=operation.payload_text, registered_at=operation.created_at
        )
        return asker.look_up(
            operation.key, environment=operation.environment, deadline_seconds=ASK_SECONDS
        )
    except ConfigMistake as mistake:
        return CouldNotAsk(detail=str(mistake), is_ours=True)
    except Exception as error:
        # A mistake of ours while asking or reading says nothing about the effect.
        log.exception("lookup failed", operation=str(operation.pk))
        detail = storable(f"{type(error).__name__} while looking up: {error}")
        return CouldNotAsk(detail=detail, is_ours=True)
