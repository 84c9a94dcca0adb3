"""Two effects of one operation, as the tests about them begin."""

from datetime import UTC, datetime, timedelta
from typing import Any

from operations.protocol.profiles import Profile
from reconciliation.protocol.effects import Effect, Scene, Send

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
KEYED = Profile(
    receiver="shop",
    connector="http",
    deduplicates=True,
    dedup_window_seconds=3600,
    has_lookup=True,
    lookup_lag_seconds=5,
    delivery_delay_seconds=15,
)
KEYLESS = Profile(receiver="desk", connector="manual", delivery_delay_seconds=15)


def at(seconds: float) -> datetime:
    """So many seconds after the first mark."""
    return START + timedelta(seconds=seconds)


def a_send(generation: int = 1, *, marked: float = 0, **given: Any) -> Send:
    """An attempt that may leave within 10 seconds, and of which nothing was heard."""
    values: dict[str, Any] = {
        "generation": generation,
        "token": generation + 100,
        "marked_at": at(marked),
        "send_deadline_at": at(marked + 10),
        "closed_at": None,
        "outcome": None,
        "idempotency_key": "oc-1",
        "payload_digest": "d1",
        "request_digest": "r1",
        **given,
    }
    return Send(**values)


def an_effect(effect_id: str = "eff-1", *, told: float = 60, **given: Any) -> Effect:
    """An effect with this operation's payload, of which the receiver tells no instant."""
    if "occurred" in given:
        given["occurred_at"] = at(given.pop("occurred"))
    values: dict[str, Any] = {
        "effect_id": effect_id,
        "first_told_at": at(told),
        "occurred_at": None,
        "has_same_payload": True,
        **given,
    }
    return Effect(**values)


def a_scene(*sends: Send, effects: tuple[Effect, ...] = (), **given: Any) -> Scene:
    """What is on record about them, at a receiver with keys for an hour."""
    return Scene(**{"profile": KEYED, "sends": sends, "effects": effects, **given})
