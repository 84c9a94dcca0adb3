"""The timeline: audit entries in four lanes, runs of the same answer told once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby

from operations.actors import ActorKind
from operations.models import AuditEntry
from operations.protocol.audit_events import sentence_of
from operations.protocol.states import Grade
from operations.queries.changes import name_of
from operations.queries.dossier import Dossier
from operations.web.detail.entry_words import more_of

WORKER, RECEIVER, PEOPLE, SYSTEM = "worker", "receiver", "people", "system"
# Shorter silences are the rhythm of the work; longer ones are told.
SHORTEST_GAP = timedelta(minutes=10)

_WORKERS = frozenset(
    {
        "register",
        "claim",
        "renew_claim",
        "give_back_claim",
        "mark",
        "end_attempt",
        "keep_stale_report",
        "ask_again_observed",
        "key_reused",
        "key_taken",
        "foreign_token",
        "request_lookup",
    }
)
_RECEIVERS = frozenset(
    {"confirm", "refuse", "keep_receipt", "corroborate", "keep_refusal", "look_up"}
)
_KEY = frozenset(
    {
        "register",
        "mark",
        "confirm",
        "refuse",
        "find_not_executed",
        "release",
        "correct",
        "cancel",
        "open_review",
        "approve",
        "turn_back",
        "supersede",
        "compensate",
    }
)
_ICONS = {
    "register": "plus",
    "claim": "worker",
    "renew_claim": "refresh",
    "give_back_claim": "handback",
    "approve": "approval",
    "answer_approval": "check",
    "ask_again": "hourglass",
    "expire_approval": "clock",
    "cancel": "cancelled",
    "mark": "send",
    "turn_back": "unknown",
    "end_attempt": "note",
    "sender_gone": "halt",
    "keep_stale_report": "late",
    "keep_refusal": "refused",
    "keep_receipt": "receipt",
    "corroborate": "verified",
    "request_lookup": "lookup",
    "schedule_lookup": "scheduled",
    "look_up": "lookup",
    "confirm": "confirmed",
    "refuse": "refused",
    "find_not_executed": "not-executed",
    "release": "release",
    "correct": "confirmed",
    "open_review": "question",
    "settle_review": "verified",
    "take_case": "case",
    "hand_back_case": "handback",
    "note": "note",
    "propose": "approval",
    "reject_proposal": "cross",
    "expire_proposal": "clock",
    "set_aside": "flag",
    "supersede": "supersede",
    "compensate": "compensate",
}
_TONES = {
    "mark": "unknown",
    "turn_back": "unknown",
    "refuse": "alarm",
    "keep_stale_report": "unknown",
    "keep_receipt": "unknown",
    "corroborate": "good",
    "approve": "good",
    "open_review": "unknown",
    "settle_review": "good",
    "propose": "waiting",
    "ask_again": "waiting",
    "release": "active",
    "claim": "active",
    "find_not_executed": "quiet",
    "cancel": "quiet",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """One line of the timeline; `gap` is the silence before it, if it was long."""

    lane: str
    at: datetime
    icon: str
    title: str
    more: str
    tone: str
    is_key: bool
    gap: timedelta | None


def timeline_of(dossier: Dossier) -> list[Moment]:
    """The entries that are shown, the oldest first."""
    moments: list[Moment] = []
    last_at: datetime | None = None
    for entries in _runs(dossier.entries):
        first, last = entries[0], entries[-1]
        silence = first.at - last_at if last_at else timedelta(0)
        moments.append(_moment(entries, dossier, silence if silence >= SHORTEST_GAP else None))
        last_at = last.at
    return moments


def _runs(entries: Sequence[AuditEntry]) -> Iterator[list[AuditEntry]]:
    """Entries one by one, but the same word of the receiver, time and again, together."""
    numbered = enumerate(_told_once(entries))
    for _, run in groupby(numbered, key=lambda pair: _likeness(*pair)):
        yield [entry for _, entry in run]


def _told_once(entries: Sequence[AuditEntry]) -> Iterator[AuditEntry]:
    """A lookup that found a receipt is told by that receipt's own entry, just before."""
    before: AuditEntry | None = None
    for entry in entries:
        receipt = entry.detail.get("receipt") if entry.event == "look_up" else None
        if receipt is None or before is None or before.detail.get("receipt") != receipt:
            yield entry
        before = entry


def _likeness(number: int, entry: AuditEntry) -> tuple[object, ...]:
    if entry.event in ("look_up", "keep_receipt", "corroborate"):
        names = ("result", "channel", "verdict", "effect_id")
        return entry.event, *(entry.detail.get(name) for name in names)
    return entry.event, number


def _moment(entries: Sequence[AuditEntry], dossier: Dossier, gap: timedelta | None) -> Moment:
    entry = entries[-1]
    times = f" {len(entries)} times" if len(entries) > 1 else ""
    return Moment(
        lane=_lane(entry),
        at=entry.at,
        icon="attested" if _is_attested(entry, dossier) else _ICONS.get(entry.event, "audit"),
        title=f"{sentence_of(entry.event)}{times}",
        more=" · ".join(_more(entry, dossier)),
        tone=_tone(entry, dossier),
        is_key=entry.event in _KEY,
        gap=gap,
    )


def _lane(entry: AuditEntry) -> str:
    if entry.actor_kind == ActorKind.PERSON:
        return PEOPLE
    if entry.event in _RECEIVERS:
        return RECEIVER
    return WORKER if entry.event in _WORKERS else SYSTEM


def _more(entry: AuditEntry, dossier: Dossier) -> Iterator[str]:
    yield from more_of(entry)
    words = getattr(entry, "words", None)
    if words and words.reason:
        yield f"“{words.reason}”"
    yield name_of(entry, dict(dossier.agents))


def _is_attested(entry: AuditEntry, dossier: Dossier) -> bool:
    is_proof = entry.event in ("confirm", "correct")
    return is_proof and dossier.facts.grade is Grade.ATTESTED


def _tone(entry: AuditEntry, dossier: Dossier) -> str:
    if entry.event in ("confirm", "correct"):
        return "attested" if _is_attested(entry, dossier) else "good"
    if entry.event == "end_attempt":
        return "good" if entry.detail.get("outcome") == "receipt" else "unknown"
    return _TONES.get(entry.event, "quiet")
