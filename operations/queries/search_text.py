"""What a person typed into the search box: qualifiers such as `state:ready`, and free words."""

import re
from dataclasses import dataclass

from operations.protocol.words import storable

# The qualifier's name, and the column that it narrows.
QUALIFIERS = {
    "state": "state",
    "queue": "queue",
    "receiver": "receiver",
    "kind": "kind",
    "env": "environment",
    "environment": "environment",
    "key": "key",
}
LONGEST = 400
PAYLOAD = "payload."
_TERM = re.compile(r'(?:(?P<name>[A-Za-z0-9_.-]+):)?(?P<value>"[^"]*"|\S+)')


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchText:
    """`qualifiers` as (column, value), `payload` as (member names, value), `words` as free text.

    A word with a colon whose first part is no qualifier stays a word: keys may have colons.
    """

    qualifiers: tuple[tuple[str, str], ...] = ()
    payload: tuple[tuple[tuple[str, ...], str], ...] = ()
    words: tuple[str, ...] = ()


def parse_search(text: str) -> SearchText:
    """Read the box, whatever was typed; text that no column can hold is written out."""
    qualifiers, payload, words = [], [], []
    for term in _TERM.finditer(storable(text)[:LONGEST]):
        name, value = term["name"] or "", term["value"].strip('"')
        if not value:
            continue
        if name in QUALIFIERS:
            qualifiers.append((QUALIFIERS[name], value))
        elif name.startswith(PAYLOAD) and name != PAYLOAD:
            payload.append((tuple(name.removeprefix(PAYLOAD).split(".")), value))
        else:
            words.append(f"{name}:{value}" if name else value)
    return SearchText(qualifiers=tuple(qualifiers), payload=tuple(payload), words=tuple(words))
