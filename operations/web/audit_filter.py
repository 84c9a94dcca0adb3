"""The filter of the audit page: read from an address, and written back into addresses."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone

from operations.actors import ActorKind
from operations.protocol.audit_events import SENTENCES
from operations.protocol.states import State
from operations.protocol.words import storable
from operations.queries.audit_search import AuditSearch
from operations.registry import configuration, has_environment
from operations.templatetags.looks import STATES
from operations.web.list_filter import Chip, Option, Select

NAMES: Mapping[str, str] = {
    "q": "search",
    "environment": "environment",
    "kind": "who",
    "event": "event",
    "state": "state after",
    "trail": "about",
    "actor": "actor",
    "operation": "operation",
    "request": "request id",
    "since": "from",
    "until": "to",
}
SELECTS = {"kind": "Who", "event": "Event", "state": "State after", "trail": "About"}
# They have no box of their own in the form: links set them, and the form carries them on.
CARRIED = ("environment", "actor", "operation", "request")
TRAILS = {
    "operation": "operations",
    "access": "sign-ins, tokens, roles",
    "configuration": "the console",
    "drills": "drills",
    "receivers": "receivers",
}
LONGEST = 200


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """What the address asks for, by parameter. Words that are not understood are `mistakes`."""

    given: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, parameters: Mapping[str, str]) -> "AuditFilter":
        """From the parameters of a request; those of no filter are left out."""
        kept = {name: storable(parameters.get(name, "")).strip()[:LONGEST] for name in NAMES}
        return cls({name: value for name, value in kept.items() if value})

    @property
    def q(self) -> str:
        """What is in the search box."""
        return self.given.get("q", "")

    @property
    def since(self) -> str:
        """What is in the "from" box."""
        return self.given.get("since", "")

    @property
    def until(self) -> str:
        """What is in the "to" box."""
        return self.given.get("until", "")

    @property
    def is_set(self) -> bool:
        """Whether anything narrows the list."""
        return bool(self.given)

    @property
    def carried(self) -> list[tuple[str, str]]:
        """The filters in force that the form keeps without showing them."""
        return [(name, self.given[name]) for name in CARRIED if name in self.given]

    @property
    def mistakes(self) -> list[str]:
        """A sentence for each value that is not understood: expected and got."""
        unknown = [
            f"{NAMES[name]}: expected one of {', '.join(words)}, got “{self.given[name]}”."
            for name, words in _known().items()
            if name in self.given
            and self.given[name] not in words
            and not (name == "environment" and has_environment(self.given[name]))
        ]
        unread = [
            f"{NAMES[name]}: expected an instant such as 2026-11-30 10:04, "
            f"got “{self.given[name]}”."
            for name in ("since", "until")
            if name in self.given and _instant(self.given[name]) is None
        ]
        return unknown + unread

    @property
    def search(self) -> AuditSearch | None:
        """What to look for; None when something is not understood."""
        if self.mistakes:
            return None
        given = self.given
        return AuditSearch(
            environment=given.get("environment", ""),
            actor_kind=_word(ActorKind, given.get("kind", "")),
            actor=given.get("actor", ""),
            event=given.get("event", ""),
            operation=given.get("operation", ""),
            state=_word(State, given.get("state", "")),
            trail=given.get("trail", ""),
            request_id=given.get("request", ""),
            since=_instant(self.since),
            until=_instant(self.until),
            text=self.q,
        )

    @property
    def selects(self) -> list[Select]:
        """The selects of the search bar, the chosen entries marked."""
        known = _known()
        return [
            Select(
                name,
                label,
                tuple(
                    Option(value, word, value == self.given.get(name))
                    for value, word in known[name].items()
                ),
            )
            for name, label in SELECTS.items()
        ]

    @property
    def chips(self) -> list[Chip]:
        """The filters in force, each with the address without it."""
        known = _known()
        return [
            Chip(NAMES[name], known.get(name, {}).get(value, value), self.url(without=name))
            for name, value in self.given.items()
        ]

    @property
    def clear_url(self) -> str:
        """Every entry."""
        return reverse("operations:audit")

    def url(self, *, without: str = "", **also: str) -> str:
        """The address of this list, without one of its filters or with more."""
        kept = {name: value for name, value in self.given.items() if name != without} | also
        return f"{self.clear_url}?{urlencode(kept)}" if kept else self.clear_url


def _known() -> dict[str, dict[str, str]]:
    """The words of each filter that has a fixed set of them, as a person reads them."""
    return {
        "environment": {name: name for name in configuration().environments},
        "kind": {str(kind): str(kind) for kind in ActorKind},
        "event": dict(sorted(SENTENCES.items(), key=lambda item: item[1])),
        "state": {str(state): look.word for state, look in STATES.items()},
        "trail": TRAILS,
    }


def _instant(text: str) -> datetime | None:
    """An instant in the person's zone, unless it names another; None when it is none."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo else timezone.make_aware(at)


def _word[Word: StrEnum](words: type[Word], value: str) -> Word | None:
    return words(value) if value else None
