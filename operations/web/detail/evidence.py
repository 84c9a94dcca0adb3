"""Attempts, claims, late reports and lookups, as their tables show them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from operations.models import Attempt, AttemptEnd, Lookup
from operations.protocol.states import LookupResult
from operations.protocol.words import shortened, until_text
from operations.queries.dossier import Dossier


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """One dispatch and the end that counts; `gone` names who recorded that its sender is gone."""

    attempt: Attempt
    end: AttemptEnd | None
    gone: str


@dataclass(frozen=True, slots=True)
class LateWrite:
    """A report under a token that was not current: kept, and it settled nothing."""

    sentence: str
    at: datetime


@dataclass(frozen=True, slots=True)
class LookupCount:
    """One of the three answers, and how often it came."""

    result: LookupResult
    count: int


@dataclass(frozen=True, slots=True)
class LookupRow:
    """One question, what its answer means, and how long it took."""

    lookup: Lookup
    meaning: str
    took: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookups:
    """The lookups that are shown, and all of them counted apart (rule 5)."""

    total: int
    sentence: str
    counts: Sequence[LookupCount]
    items: Sequence[LookupRow]


def attempt_rows(dossier: Dossier) -> list[AttemptRow]:
    """The attempts, the first generation first."""
    rows = []
    for attempt in dossier.attempts:
        end = next((end for end in attempt.ends.all() if not end.is_stale), None)
        gone = ", ".join(row.person.username for row in attempt.gone_records.all())
        rows.append(AttemptRow(attempt, end, gone))
    return rows


def late_writes(dossier: Dossier) -> list[LateWrite]:
    """What came in under an older token, the oldest first."""
    current = dossier.operation.claim_token
    found = [
        LateWrite(
            f"Token {end.token} reported “{end.outcome}” when it was not current any more "
            f"(now {current}): kept, settled nothing.",
            end.at,
        )
        for attempt in dossier.attempts
        for end in attempt.ends.all()
        if end.is_stale
    ]
    found += [
        LateWrite(
            f"Token {receipt.token} brought a receipt when it was not current any more "
            f"(now {current}): kept, settled nothing.",
            receipt.received_at,
        )
        for receipt in dossier.receipts
        if receipt.is_stale
    ]
    return sorted(found, key=lambda write: write.at)


def lookups_of(dossier: Dossier) -> Lookups:
    """The lookups; each answer read against the quarantine, for "not found" may mean nothing."""
    rows = dossier.lookups  # read before they are counted, so that no more are shown than there are
    total = sum(dossier.lookup_counts.values())
    shown = f", the latest {len(rows)} shown" if total > len(rows) else ""
    return Lookups(
        total=total,
        sentence=_lag_sentence(dossier) + shown,
        counts=[LookupCount(result, count) for result, count in dossier.lookup_counts.items()],
        items=[LookupRow(row, _meaning(row, dossier), _took(row)) for row in rows],
    )


def _lag_sentence(dossier: Dossier) -> str:
    profile = dossier.profile
    if not profile.has_lookup:
        return f"{profile.receiver} can’t be looked up by key"
    lag = profile.lookup_lag_seconds
    return f"{profile.receiver} shows a record after at most {lag} s; looking up sends nothing"


def _meaning(lookup: Lookup, dossier: Dossier) -> str:
    if lookup.result == LookupResult.FOUND:
        return "The receiver has a record under this key."
    if lookup.result == LookupResult.COULD_NOT_ASK:
        return f"No answer to the question: {shortened(lookup.detail or 'no detail', limit=160)}"
    ends_at = dossier.facts.quarantine_ends_at(dossier.profile, up_to=lookup.generation)
    if ends_at is not None and lookup.asked_at < ends_at:
        until = until_text(ends_at, now=dossier.now)
        return f"No evidence yet: a request could still arrive until {until}."
    return "Nothing under this key, asked after the quarantine."


def _took(lookup: Lookup) -> str:
    took = (lookup.answered_at - lookup.asked_at).total_seconds()
    return f"{took * 1000:.0f} ms" if took < 1 else f"{took:.1f} s"
