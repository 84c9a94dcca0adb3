"""Two effects of one operation: what is known of each, and which attempt it can belong to."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from operations.protocol.profiles import CallTimes, Profile, last_call_at, quarantine_ends_at
from operations.protocol.states import AttemptOutcome
from reconciliation.protocol.certification import Finding, Probe

# How far the receiver's clock and the database's may be apart before an instant tells anything.
CLOCKS_APART = timedelta(seconds=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Send:
    """One attempt. `closed_at`: when its sender reported an end, or two people did for it."""

    generation: int
    token: int
    marked_at: datetime
    send_deadline_at: datetime
    closed_at: datetime | None
    outcome: AttemptOutcome | None
    idempotency_key: str
    payload_digest: str
    request_digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One effect id that the receiver named for this operation, of all its receipts together.

    `occurred_at` is by the receiver's own clock, None where it does not say.
    `has_same_payload` is None where no receipt carried one. `confirmed_key` is the key of another
    operation that this effect confirmed, "" for none.
    """

    effect_id: str
    first_told_at: datetime
    occurred_at: datetime | None
    has_same_payload: bool | None
    confirmed_key: str = ""


@dataclass(frozen=True, slots=True)
class Probed:
    """What a probe of the receiver observed, against its claim."""

    finding: Finding
    observed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """All that is on record. Sends are the oldest first, effects as they were first told.

    `absent_at`: when look-ups were asked that found nothing. `late_tokens`: tokens that reported
    when they were not current any more. `is_console`: our own dispatcher makes the calls.
    """

    profile: Profile
    sends: tuple[Send, ...]
    effects: tuple[Effect, ...]
    absent_at: tuple[datetime, ...] = ()
    late_tokens: tuple[int, ...] = ()
    is_console: bool = False
    probed: tuple[tuple[Probe, Probed], ...] = ()
    probed_at: datetime | None = None

    def seen(self, probe: Probe) -> Probed | None:
        """What the last certification observed there; None where it was not probed."""
        found = dict(self.probed).get(probe)
        return None if found is None or found.finding is Finding.NOT_PROBED else found


def last_left_at(send: Send, profile: Profile) -> datetime:
    """The last instant at which its request can have left (decision 0009)."""
    calls = [CallTimes(send.send_deadline_at, send.closed_at)]
    left_at = last_call_at(profile, calls)
    assert left_at is not None
    return left_at


def may_belong(effect: Effect, scene: Scene) -> tuple[int, ...]:
    """The generations whose request can have had this effect, by time alone.

    It happened after the mark, and not later than the last call and the receiver's delivery delay
    allow; the clocks are taken to be at most five seconds apart. Without an instant of the
    receiver it happened at some time before it was first told.
    """
    return tuple(send.generation for send in scene.sends if _fits(effect, send, scene.profile))


def _fits(effect: Effect, send: Send, profile: Profile) -> bool:
    if effect.occurred_at is None:
        return send.marked_at <= effect.first_told_at
    latest = last_left_at(send, profile) + timedelta(seconds=profile.delivery_delay_seconds)
    return send.marked_at - CLOCKS_APART <= effect.occurred_at <= latest + CLOCKS_APART


def claims_keys(profile: Profile) -> bool:
    """Whether a second request under the same key is claimed to be no second effect."""
    return profile.deduplicates and profile.dedup_window_seconds is not None


def window_ends_at(scene: Scene) -> datetime | None:
    """Until when the key is claimed to be kept, from the first mark; None without keys or marks."""
    seconds = scene.profile.dedup_window_seconds if scene.profile.deduplicates else None
    if seconds is None or not scene.sends:
        return None
    return scene.sends[0].marked_at + timedelta(seconds=seconds)


def absent_between(scene: Scene, earlier: Send, later: Send) -> datetime | None:
    """The last look-up between two attempts that found nothing and means something (rule 3)."""
    counts_from = quarantine_ends_at(scene.profile, last_left_at(earlier, scene.profile))
    fit = [at for at in scene.absent_at if counts_from <= at < later.marked_at]
    return max(fit, default=None)


def dated(scene: Scene) -> list[Effect]:
    """The effects whose instant the receiver told, in the order of those instants."""
    told = [(effect.occurred_at, effect) for effect in scene.effects if effect.occurred_at]
    return [effect for _, effect in sorted(told, key=lambda pair: pair[0])]
