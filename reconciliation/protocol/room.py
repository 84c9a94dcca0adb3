"""How many lookups a receiver takes now: one pure decision over its gate (design section 5)."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from operations.protocol.profiles import Profile
from reconciliation.protocol.circuit import CircuitState, HoldReason, circuit_state

# A batch may spend the budget of so long ahead; its lookups leave when their turn comes.
PACED_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GateFacts:
    """A gate's row, and how many lookups are under way."""

    opened_at: datetime | None
    open_until: datetime | None
    probe_ends_at: datetime | None
    held_until: datetime | None
    next_ask_at: datetime | None
    under_way: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """`count` lookups may be made, each `spacing_seconds` after the one before it.

    `next_ask_at` is what the budget's next one waits for then; None without a budget. Where the
    count is 0, `reason` says why, and `until` when it may be worth asking again, if that is known.
    """

    count: int = 0
    is_probe: bool = False
    spacing_seconds: float = 0.0
    next_ask_at: datetime | None = None
    reason: HoldReason | None = None
    until: datetime | None = None


def room_at(gate: GateFacts, profile: Profile, *, wanted: int, now: datetime) -> Room:
    """Room for at most `wanted` lookups, 1 or more.

    An open circuit and a Retry-After leave none, a circuit whose pause is over lets one through as
    its probe; then the places, and then the budget, which is spent evenly: no minute, wherever it
    begins, has more than the profile says.
    """
    if gate.held_until and gate.held_until > now:
        return Room(reason=HoldReason.RETRY_AFTER, until=gate.held_until)
    circuit = circuit_state(opened_at=gate.opened_at, open_until=gate.open_until, now=now)
    if circuit is CircuitState.OPEN:
        return Room(reason=HoldReason.CIRCUIT, until=gate.open_until)
    is_probe = circuit is CircuitState.HALF_OPEN
    if is_probe and gate.probe_ends_at and gate.probe_ends_at > now:
        return Room(reason=HoldReason.CIRCUIT, until=gate.probe_ends_at)
    places = min(wanted, profile.lookups_at_once - gate.under_way, 1 if is_probe else wanted)
    if places <= 0:
        return Room(reason=HoldReason.BUSY)
    if profile.lookups_per_minute is None:
        return Room(count=places, is_probe=is_probe)
    return _within_budget(gate, places, profile.lookups_per_minute, is_probe=is_probe, now=now)


def _within_budget(
    gate: GateFacts, places: int, per_minute: int, *, is_probe: bool, now: datetime
) -> Room:
    if gate.next_ask_at and gate.next_ask_at > now:
        return Room(reason=HoldReason.BUDGET, until=gate.next_ask_at)
    spacing_seconds = 60 / per_minute
    count = min(places, 1 + int(PACED_SECONDS / spacing_seconds))
    return Room(
        count=count,
        is_probe=is_probe,
        spacing_seconds=spacing_seconds,
        next_ask_at=now + timedelta(seconds=count * spacing_seconds),
    )
