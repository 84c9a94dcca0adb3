"""Rule P: how payloads are read, written, digested and compared."""

from collections.abc import Mapping
from decimal import Decimal
from hashlib import sha256

from operations.protocol.json_comparison import Difference, differences, not_compared
from operations.protocol.json_reader import parse_json
from operations.protocol.json_values import (
    JSON,
    MISSING,
    Number,
    child_pointer,
    dumps,
    literal_text,
    number_text,
    quoted,
    resolve,
)
from operations.protocol.money import Money
from operations.protocol.refusal_input import MalformedJSON, TooLarge

__all__ = [
    "JSON",
    "MISSING",
    "Difference",
    "MalformedJSON",
    "Money",
    "Number",
    "TooLarge",
    "canonical_bytes",
    "child_pointer",
    "differences",
    "digest",
    "dumps",
    "not_compared",
    "parse_json",
    "resolve",
]


def canonical_bytes(value: JSON) -> bytes:
    """The one spelling of a value: equal bytes exactly when two values are equal under rule P.

    UTF-8 without white space, members sorted by code point, numbers in one normal form by their
    decimal value. Raises TypeError for what is not JSON, floats included.
    """
    pieces: list[str] = []
    _append_canonical(value, pieces)
    return "".join(pieces).encode()


def digest(value: JSON) -> str:
    """Hex SHA-256 of the value's canonical bytes."""
    return sha256(canonical_bytes(value)).hexdigest()


def _append_canonical(value: JSON, pieces: list[str]) -> None:
    if isinstance(value, str):
        pieces.append(quoted(value))
    elif isinstance(value, Mapping):
        _append_members(value, pieces)
    elif isinstance(value, list | tuple):
        _append_items(value, pieces)
    elif isinstance(value, Decimal):
        pieces.append(number_text(value))
    else:
        pieces.append(literal_text(value) or dumps(value))


def _append_members(members: Mapping[str, JSON], pieces: list[str]) -> None:
    separator = "{"
    for name in sorted(members):
        pieces.append(f"{separator}{quoted(name)}:")
        _append_canonical(members[name], pieces)
        separator = ","
    pieces.append("}" if members else "{}")


def _append_items(items: list[JSON] | tuple[JSON, ...], pieces: list[str]) -> None:
    separator = "["
    for item in items:
        pieces.append(separator)
        _append_canonical(item, pieces)
        separator = ","
    pieces.append("]" if items else "[]")
