"""Keys that may be meant by a receipt whose own key no operation has."""

import re
from collections.abc import Iterator
from enum import StrEnum

_PIECES = re.compile(r"[0-9]+|[a-z]+")
_SEPARATOR = re.compile(r"[^0-9A-Za-z]+")
# A shorter beginning or end is shared by too many keys to say anything.
SHORTEST_PART = 4
MOST_VARIANTS = 16


class Nearness(StrEnum):
    """How two different keys resemble each other; the closest first."""

    SPELLING = "spelling"
    ONE_CHARACTER = "one_character"
    CUT = "cut"


def nearness(key: str, other: str) -> Nearness | None:
    """How `other` resembles `key`; None for equal keys and for those that do not.

    SPELLING: the same letters and numbers, but for case, separators and leading zeros.
    ONE_CHARACTER: one is added, left out or another, or two neighbours changed places.
    CUT: the one is the beginning or the end of the other, and at least four characters long.
    """
    if key == other:
        return None
    if folded(key) and folded(key) == folded(other):
        return Nearness.SPELLING
    if is_one_edit_apart(key, other):
        return Nearness.ONE_CHARACTER
    short, long = sorted((key, other), key=len)
    is_part = long.startswith(short) or long.endswith(short)
    return Nearness.CUT if is_part and len(short) >= SHORTEST_PART else None


def folded(key: str) -> tuple[str, ...]:
    """A key's runs of letters in lower case and of digits without leading zeros, in order."""
    pieces = _PIECES.findall(key.lower())
    return tuple(str(int(piece)) if piece.isdigit() else piece for piece in pieces)


def is_one_edit_apart(one: str, other: str) -> bool:
    """Whether one character more, less or changed makes them equal, or two that change places."""
    if one == other:
        return False
    begin = _common(one, other)
    rest, rest_of_other = one[begin:], other[begin:]
    if len(one) == len(other):
        is_swapped = rest[:2] == rest_of_other[:2][::-1] and rest[2:] == rest_of_other[2:]
        return rest[1:] == rest_of_other[1:] or is_swapped
    short, long = sorted((rest, rest_of_other), key=len)
    return short == long[1:]


def variants(key: str) -> list[str]:
    """At most 16 other spellings to be asked for by themselves, none equal to `key`.

    They are those that stand far from it in the order of keys: another case, another separator,
    and the key without what stands before its first separators or after its last ones.
    """
    found: list[str] = []
    for spelling in _spellings(key):
        if spelling not in (key, "") and spelling not in found:
            found.append(spelling)
    return found[:MOST_VARIANTS]


def _spellings(key: str) -> Iterator[str]:
    plain = key.strip()
    yield plain
    yield plain.lower()
    yield plain.upper()
    for separator in "-_ ":
        yield _SEPARATOR.sub(separator, plain)
    yield _SEPARATOR.sub("", plain)
    for place in _SEPARATOR.finditer(plain):
        before, after = plain[: place.start()], plain[place.end() :]
        yield from (part for part in (after, before) if len(part) >= SHORTEST_PART)


def _common(one: str, other: str) -> int:
    """How many characters they begin with alike."""
    shortest = min(len(one), len(other))
    return next((at for at in range(shortest) if one[at] != other[at]), shortest)
