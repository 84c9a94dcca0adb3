"""The rail: requests and effects counted apart, clocks, what waits for this, notes, links."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.urls import reverse

from operations.protocol.profiles import dedup_ends_at
from operations.protocol.states import Question, ReceiptStatus, State
from operations.queries.dossier import Dossier
from operations.templatetags.wording import span
from operations.web.detail.receipts import record_url


@dataclass(frozen=True, slots=True)
class Figure:
    """One number that must not be mistaken for another."""

    value: str
    label: str
    tone: str


@dataclass(frozen=True, slots=True)
class Clock:
    """How much of a length of time is left, 0 to 100."""

    name: str
    word: str
    percent: int
    tone: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Link:
    """A place to go on reading."""

    url: str
    icon: str
    word: str
    is_outside: bool = False


def figures_of(dossier: Dossier) -> list[Figure]:
    """Requests that may have left, and effects that were named."""
    sends, effects = len(dossier.attempts), len(_effects(dossier))
    asked = "request may have left" if sends == 1 else "requests may have left"
    named = "effect named" if effects == 1 else "effects named"
    tone = "good" if dossier.facts.state is State.CONFIRMED else "unknown"
    return [
        Figure(str(sends), asked if sends else "requests left", "active" if sends else "quiet"),
        Figure(str(effects), named, "alarm" if effects > 1 else tone if effects else "quiet"),
    ]


def clocks_of(dossier: Dossier) -> list[Clock]:
    """The clocks that decide what may be done, while the outcome is open."""
    if dossier.facts.is_settled:
        return []
    found = [_approval_clock(dossier), _quarantine_clock(dossier), _dedup_clock(dossier)]
    return [clock for clock in found if clock is not None]


def links_of(dossier: Dossier) -> list[Link]:
    """The receiver's own record, and whom to ask."""
    url = record_url(dossier.operation)
    if not url:
        return []
    word = f"{dossier.operation.receiver}’s own record"
    return [Link(url, "external", word, is_outside=True)]


def effects_url(dossier: Dossier) -> str:
    """Where all effects and attempts are compared; "" while there is one effect at most."""
    told = {row.effect_id for row in dossier.receipts if row.status != ReceiptStatus.REFUSED}
    is_asked = Question.DUPLICATE_EFFECT in dossier.facts.open_questions
    if not is_asked and len(told - {""}) < 2:
        return ""
    return reverse("reconciliation:effects", args=[dossier.operation.pk])


def _effects(dossier: Dossier) -> set[str]:
    return {
        row.effect_id
        for row in dossier.receipts
        if row.effect_id and row.status == ReceiptStatus.CONFIRMED and not _is_anothers(row)
    }


def _is_anothers(receipt: object) -> bool:
    explanation = getattr(receipt, "explanation", None)
    return explanation is not None and explanation.finding == "not_ours"


def _approval_clock(dossier: Dossier) -> Clock | None:
    ends_at = dossier.facts.approval_expires_at
    if dossier.facts.state is not State.AWAITING_APPROVAL or ends_at is None:
        return None
    opened_at = next(
        (row.opened_at for row in dossier.approvals if row.expires_at == ends_at),
        dossier.facts.state_since,
    )
    return _left(
        "Time to decide",
        opened_at,
        ends_at,
        dossier.now,
        tone="waiting",
        sentence="Without a decision the request ends, and nothing is sent.",
    )


def _quarantine_clock(dossier: Dossier) -> Clock | None:
    ends_at, first = dossier.facts.quarantine_ends_at(dossier.profile), dossier.attempts
    if ends_at is None or ends_at <= dossier.now:
        return None
    return _left(
        "Quarantine",
        first[-1].marked_at,
        ends_at,
        dossier.now,
        tone="unknown",
        sentence="A request may still be in flight; until then “not found” is no evidence.",
    )


def _dedup_clock(dossier: Dossier) -> Clock | None:
    marked_at = dossier.facts.first_marked_at
    if marked_at is None:
        return None
    ends_at = dedup_ends_at(dossier.profile, marked_at)
    if ends_at is None:
        return Clock(
            "Deduplication",
            "none",
            0,
            "alarm",
            f"{dossier.profile.receiver} does not know keys: every send is an effect of its own.",
        )
    if ends_at <= dossier.now:
        return Clock(
            "Deduplication",
            "window over",
            0,
            "alarm",
            "The receiver may have forgotten this key, which closes release for good.",
        )
    return _left(
        "Deduplication",
        marked_at,
        ends_at,
        dossier.now,
        tone="good",
        sentence="So long the receiver still knows this key, its margin taken off.",
    )


def _left(
    name: str, from_at: datetime, to_at: datetime, now: datetime, *, tone: str, sentence: str
) -> Clock:
    whole, left = to_at - from_at, to_at - now
    part = left / whole if whole > timedelta(0) else 0
    percent = max(1, min(100, round(100 * part)))
    return Clock(name, f"{span(left)} left", percent, tone, sentence)
