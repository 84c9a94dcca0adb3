"""The foot of a list: how many are shown, the way back to its start, and on."""

from dataclasses import dataclass

from django.core.exceptions import BadRequest
from django.http import HttpRequest

from operations.protocol.refusals import InvalidField
from operations.queries.places import RowPlace


@dataclass(frozen=True, slots=True)
class Page:
    """`words` count what is shown, never a whole table; empty addresses show no link."""

    words: str
    first_url: str
    next_url: str


def page_words(count: int, noun: str, *, order: str) -> str:
    """Such as "50 operations, newest first"."""
    return f"{count} {noun}{'' if count == 1 else 's'}, {order}"


def place_in(request: HttpRequest) -> RowPlace | None:
    """The place where a list of rows goes on, None for its start. Raises BadRequest."""
    try:
        return RowPlace.read(request.GET.get("after", ""))
    except InvalidField as refusal:
        raise BadRequest(refusal.detail) from refusal
