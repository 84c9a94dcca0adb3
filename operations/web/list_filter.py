"""The filter of the operations list: read from an address, and written back into addresses."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import urlencode

from django.urls import reverse

from operations.protocol.states import Queue, State
from operations.queries.operation_search import OperationSearch
from operations.queries.search_text import SearchText, parse_search
from operations.registry import DRILL, configuration, configuration_of, has_environment
from operations.templatetags.looks import QUEUES, STATES, Look

PARAMETERS = ("environment", "q", "state", "queue", "receiver", "kind")


@dataclass(frozen=True, slots=True)
class Option:
    """One entry of a select."""

    value: str
    word: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Select:
    """One select of the search bar."""

    name: str
    label: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Chip:
    """One filter in force; its address is the same list without it."""

    name: str
    value: str
    url: str


@dataclass(frozen=True, slots=True)
class ListFilter:
    """What the address asks for, by parameter. Words that are not known are `mistakes`."""

    given: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, parameters: Mapping[str, str]) -> "ListFilter":
        """From the parameters of a request; those of no filter are left out."""
        kept = {name: parameters.get(name, "").strip() for name in PARAMETERS}
        return cls({name: value for name, value in kept.items() if value})

    @property
    def environment(self) -> str:
        """The environment chosen, or "" for all."""
        return self.given.get("environment", "")

    @property
    def q(self) -> str:
        """What is in the search box."""
        return self.given.get("q", "")

    @property
    def is_set(self) -> bool:
        """Whether anything but the environment narrows the list."""
        return bool(set(self.given) - {"environment"})

    @property
    def mistakes(self) -> list[str]:
        """A sentence for each word that is not known here: expected and got."""
        return [
            f"{name}: expected one of {', '.join(_known()[name])}, got “{value[:60]}”."
            for name, value in self._wanted()
            if name in _known() and value not in _known()[name] and not _is_drills(name, value)
        ]

    @property
    def search(self) -> OperationSearch | None:
        """What to look for; None when a word is not known, or two contradict each other."""
        wanted = dict(self._wanted())
        if self.mistakes or len(wanted) < len(set(self._wanted())):
            return None
        return OperationSearch(
            environment=wanted.get("environment", ""),
            state=_word(State, wanted.get("state", "")),
            receiver=wanted.get("receiver", ""),
            kind=wanted.get("kind", ""),
            queue=_word(Queue, wanted.get("queue", "")),
            key=wanted.get("key", ""),
            text=self._text,
        )

    @property
    def selects(self) -> list[Select]:
        """The selects of the search bar, the chosen entries marked."""
        words: Mapping[str, Mapping[str, Look]] = {
            "state": {str(state): look for state, look in STATES.items()},
            "queue": {str(queue): look for queue, look in QUEUES.items()},
        }
        return [
            Select(
                name,
                name.capitalize(),
                tuple(
                    Option(
                        value,
                        words[name][value].word if name in words else value,
                        value == self.given.get(name),
                    )
                    for value in _known()[name]
                ),
            )
            for name in ("state", "queue", "receiver", "kind")
        ]

    @property
    def chips(self) -> list[Chip]:
        """The filters in force, each with the address without it."""
        names = {"q": "search", "environment": "environment"}
        return [
            Chip(names.get(name, name), value, self.url(without=name))
            for name, value in self.given.items()
        ]

    @property
    def clear_url(self) -> str:
        """The whole list."""
        return reverse("operations:list")

    def url(self, *, without: str = "", **also: str) -> str:
        """The address of this list, without one of its filters or with more."""
        kept = {name: value for name, value in self.given.items() if name != without} | also
        kept = {name: value for name, value in kept.items() if value}
        return f"{self.clear_url}?{urlencode(kept)}" if kept else self.clear_url

    @property
    def _text(self) -> SearchText:
        return parse_search(self.q)

    def _wanted(self) -> list[tuple[str, str]]:
        """Every (column, value) that is asked for, by parameter and by qualifier."""
        named = [(name, value) for name, value in self.given.items() if name != "q"]
        return [*named, *self._text.qualifiers]


def _known() -> dict[str, Iterable[str]]:
    """The words of each filter that has a fixed set of them."""
    settled = configuration()
    return {
        "environment": settled.environments,
        "state": [str(state) for state in State],
        "queue": [str(queue) for queue in Queue],
        "receiver": sorted({name for _, name in settled.receivers}),
        "kind": sorted(settled.kinds),
    }


def _is_drills(name: str, value: str) -> bool:
    """Whether a word is the drills' own: no list offers those, and a link may name them."""
    if name == "environment":
        return has_environment(value)
    theirs = configuration_of(DRILL)
    return name == "kind" and value in theirs.kinds


def _word[Word: StrEnum](words: type[Word], value: str) -> Word | None:
    return words(value) if value else None
