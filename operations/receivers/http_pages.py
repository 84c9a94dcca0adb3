"""From one page of a list to the next, and how its end is told."""

import re
from collections.abc import Sequence
from decimal import Decimal
from urllib.parse import quote

from operations.protocol.json_values import JSON, MISSING, Missing, dumps, is_number, resolve
from operations.receivers.addresses import next_address
from operations.receivers.http_call import HttpAnswer
from operations.receivers.http_shape import PagesBy, PagesShape

# RFC 8288: <target>; rel="next". Only what comes before the next target belongs to it.
_LINK = re.compile(r"<([^<>]*)>([^<]*)")
_IS_NEXT = re.compile(r';\s*rel\s*=\s*(?:next\b|"(?:[^"]*\s)?next(?:\s[^"]*)?")', re.IGNORECASE)


class Unclear(Exception):
    """Why an answer, or a row of answers, proves nothing."""


class NotWhole(Unclear):
    """Every page was answered as it should be, and yet the search is none of a whole list."""


class Pages:
    """One walk along a list, from `first_url` on. Raises Unclear where the list is not whole."""

    def __init__(self, shape: PagesShape, *, first_url: str, base_url: str) -> None:
        self._shape = shape
        self._first_url = first_url
        self._base_url = base_url
        self._count = 0
        self._told: dict[str, JSON] = {}
        self._cursors: set[str] = set()
        self.url: str | None = first_url
        if shape.by is PagesBy.NUMBER:
            self.url = self._with_parameter(str(shape.first))

    def turn(self, answer: HttpAnswer, body: JSON, items: Sequence[JSON], *, seen: int) -> None:
        """Go on to what follows this page: `url` is the next one, None at the list's end.

        `seen` counts the records read so far, this page's included.
        """
        self._count += 1
        total = self._number(body, self._shape.total, "total")
        self._number(body, self._shape.total_pages, "total_pages")
        self.url = self._next(answer, body, items, seen)
        if self.url is None and total is not None and total != seen:
            raise NotWhole(f"the receiver counts {dumps(total)} records, and its list had {seen}")
        if self.url is not None and not items:
            raise Unclear("a page without records was not the last one")

    def _next(self, answer: HttpAnswer, body: JSON, items: Sequence[JSON], seen: int) -> str | None:
        more = self._has_more(body)
        match self._shape.by:
            case PagesBy.NOTHING:
                if more:
                    raise Unclear("the list goes on, and no way to its next page is configured")
                return None
            case PagesBy.NUMBER:
                return self._next_number(items, seen, more=more)
            case PagesBy.CURSOR:
                cursor = self._cursor(body, items, more=more)
                return None if cursor is None else self._with_parameter(self._new(cursor))
            case PagesBy.LINK:
                link = None if more is False else self._told_next(body, must=more is True)
            case PagesBy.LINK_HEADER:
                link = _next_link(answer.headers.get("link", ""))
        return None if link is None else self._below(self._new(link))

    def _has_more(self, body: JSON) -> bool | None:
        if self._shape.has_more is None:
            return None
        more = resolve(body, self._shape.has_more)
        if not isinstance(more, bool):
            raise Unclear(f"expected true or false at {self._shape.has_more}, got {_shown(more)}")
        return more

    def _next_number(self, items: Sequence[JSON], seen: int, *, more: bool | None) -> str | None:
        pages, total = self._told.get("total_pages"), self._told.get("total")
        if more is None and pages is not None:
            more = self._count < pages
        if more is None and total is not None:
            more = seen < total
        if more is None:
            more = bool(items)  # the end of such a list is its first page without records
        return self._with_parameter(str(self._shape.first + self._count)) if more else None

    def _cursor(self, body: JSON, items: Sequence[JSON], *, more: bool | None) -> str | None:
        if more is False:
            return None
        if self._shape.last_item is None:
            return self._told_next(body, must=more is True)
        if not items:
            raise Unclear("a page without records was not the last one")
        return _as_text(resolve(items[-1], self._shape.last_item), self._shape.last_item)

    def _told_next(self, body: JSON, *, must: bool) -> str | None:
        """The cursor or link in the body; null or an empty text ends the list."""
        place = self._shape.next or ""
        said = resolve(body, place)
        if said is MISSING and not self._shape.missing_next_ends:
            raise Unclear(f"expected a cursor, a link or null at {place}, got nothing")
        if said is MISSING or said is None or said == "":
            if must:
                raise Unclear(f"the list goes on, and {place} does not say where")
            return None
        return _as_text(said, place)

    def _new(self, cursor: str) -> str:
        if cursor in self._cursors:
            raise Unclear("the list leads back to a page that was read")
        self._cursors.add(cursor)
        return cursor

    def _below(self, link: str) -> str:
        address = next_address(link, current=self.url or self._first_url, base_url=self._base_url)
        if address is None:
            raise Unclear(f"the link to the next page does not stay below {self._base_url}")
        return address

    def _with_parameter(self, value: str) -> str:
        separator = "&" if "?" in self._first_url else "?"
        return f"{self._first_url}{separator}{self._shape.parameter}={quote(value, safe='')}"

    def _number(self, body: JSON, pointer: str | None, name: str) -> JSON:
        """A count that the receiver tells with each page; it must stay the same."""
        if pointer is None:
            return None
        told = resolve(body, pointer)
        if not isinstance(told, Decimal) or told < 0 or told != int(told):
            raise Unclear(f"expected a count at {pointer}, got {_shown(told)}")
        if self._told.setdefault(name, told) != told:
            raise NotWhole(f"the list moved: {pointer} was {dumps(self._told[name])}, then {told}")
        return told


def _next_link(header: str) -> str | None:
    found = {target for target, more in _LINK.findall(header) if _IS_NEXT.search(more)}
    if len(found) > 1:
        raise Unclear("the Link header names several next pages")
    return found.pop() if found else None


def _as_text(said: JSON | Missing, place: str) -> str:
    if isinstance(said, str) and said:
        return said
    if is_number(said):
        return dumps(said)
    raise Unclear(f"expected a cursor or a link at {place}, got {_shown(said)}")


def _shown(said: JSON | Missing) -> str:
    return "nothing" if said is MISSING else dumps(said)[:60]
