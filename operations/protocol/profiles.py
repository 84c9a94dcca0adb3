"""Receiver profiles: what a receiver guarantees, and the times that follow from it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple


class RefusalRule(NamedTuple):
    """A definite no: the given HTTP status and the given code, where None stands for any."""

    status: int | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What is claimed of one receiver in one environment. The defaults promise nothing.

    `dedup_window_seconds` None means that no window is known, so keys protect nothing.
    `significant_fields` None means that a receipt must carry the whole payload.
    `lookup_limit_seconds`: how long could_not_ask may go on before the operation is stalled.
    `lookups_per_minute` None means that they are not counted. After `circuit_after_failures` in a
    row the receiver is left alone for `circuit_pause_seconds`.
    """

    receiver: str
    connector: str
    deduplicates: bool = False
    dedup_window_seconds: int | None = None
    dedup_margin_seconds: int = 0
    notices_changed_payload: bool = False
    has_lookup: bool = False
    lookup_lag_seconds: int = 0
    delivery_delay_seconds: int = 0
    enforces_fencing: bool = False
    send_within_seconds: int = 30
    definite_refusals: tuple[RefusalRule, ...] = ()
    significant_fields: tuple[str, ...] | None = None
    second_person: bool = True
    lookup_interval_seconds: int = 30
    lookup_limit_seconds: int = 900
    lookups_at_once: int = 8
    lookups_per_minute: int | None = None
    circuit_after_failures: int = 5
    circuit_pause_seconds: int = 30
    link_template: str = ""
    contact: str = ""
    runbook: str = ""
    claims_before_stalled: int = 5
    due_limit_seconds: int = 300


def is_definite_refusal(profile: Profile, *, status: int | None, code: str | None) -> bool:
    """Whether the profile lists this answer as the receiver's own definite no (rule 6)."""
    return any(
        rule != RefusalRule() and rule.status in (None, status) and rule.code in (None, code)
        for rule in profile.definite_refusals
    )


class CallTimes(NamedTuple):
    """Of one attempt: until when its call may leave, and when it was closed, if it was."""

    send_deadline_at: datetime
    closed_at: datetime | None


def last_call_at(profile: Profile, attempts: Iterable[CallTimes]) -> datetime | None:
    """The last instant at which a request can have left; None without an attempt.

    That is the send deadline. A process that stood still between its look at the clock and its
    call may call later: a key makes that harmless, and where there is none the attempt's
    reported end is the last instant (decision 0009).
    """
    calls = list(attempts)
    instants = [call.send_deadline_at for call in calls]
    if not profile.deduplicates:
        instants += [call.closed_at for call in calls if call.closed_at is not None]
    return max(instants, default=None)


def quarantine_ends_at(profile: Profile, last_at: datetime) -> datetime:
    """From when a lookup can show that nothing is in flight (rule 3 a).

    `last_at` is what `last_call_at` says.
    """
    seconds = profile.delivery_delay_seconds + profile.lookup_lag_seconds
    return last_at + timedelta(seconds=seconds)


def dedup_ends_at(profile: Profile, earliest_marked_at: datetime) -> datetime | None:
    """Until when the key still protects from a second effect, margin taken off (rule 3 d).

    None where the receiver has no keys, or none that are known to be kept for any time.
    """
    if not profile.deduplicates or profile.dedup_window_seconds is None:
        return None
    seconds = profile.dedup_window_seconds - profile.dedup_margin_seconds
    return earliest_marked_at + timedelta(seconds=seconds)


def profile_mistakes(profile: Profile) -> list[tuple[str, str, str]]:
    """What contradicts itself in a profile, as (field, expected, got); empty when it is usable."""
    mistakes = [
        (name, f"at least {least}", str(getattr(profile, name)))
        for name, least in _LEAST.items()
        if getattr(profile, name) < least
    ]
    budget = profile.lookups_per_minute
    if budget is not None and budget < 1:
        mistakes.append(("lookups_per_minute", "at least 1, or none for no limit", str(budget)))
    window = profile.dedup_window_seconds
    if profile.deduplicates and (window is None or window <= profile.dedup_margin_seconds):
        expected = f"seconds, more than the margin of {profile.dedup_margin_seconds}"
        mistakes.append(("dedup_window_seconds", expected, str(window)))
    if not profile.deduplicates and window is not None:
        mistakes.append(("dedup_window_seconds", "none without deduplicates", str(window)))
    for rule in profile.definite_refusals:
        if rule == RefusalRule():
            mistakes.append(("definite_refusals", "a status, a code or both", "neither"))
        elif rule.code is None and rule.status is not None and not _may_refuse(rule.status):
            expected = "a status that says no (400 to 499, but not 408), or a code with it"
            mistakes.append(("definite_refusals", expected, str(rule.status)))
    return mistakes


_LEAST = {
    "send_within_seconds": 1,
    "lookup_interval_seconds": 1,
    "lookup_limit_seconds": 1,
    "lookups_at_once": 1,
    "circuit_after_failures": 1,
    "circuit_pause_seconds": 1,
    "claims_before_stalled": 1,
    "due_limit_seconds": 1,
    "lookup_lag_seconds": 0,
    "delivery_delay_seconds": 0,
    "dedup_margin_seconds": 0,
}


def _may_refuse(status: int) -> bool:
    # A timeout, a redirect and a server's error leave open what happened.
    return 400 <= status <= 499 and status != 408
