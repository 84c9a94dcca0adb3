"""The foot of a list: how many are shown, the way back to its start, and on."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Page:
    """`words` count what is shown, never a whole table; empty addresses show no link."""

    words: str
    first_url: str
    next_url: str


def page_words(count: int, noun: str, *, order: str) -> str:
    """Such as "50 operations, newest first"."""
    return f"{count} {noun}{'' if count == 1 else 's'}, {order}"
