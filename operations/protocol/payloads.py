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
    pointer_names,
    quoted,
    resolve,
)
from operations.protocol.money import Money, amount_of
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


def canonical_bytes(value: JSON, *, money: Money | None = None) -> bytes:
    """The one spelling of a value: equal bytes exactly when two values are equal under rule P.

    UTF-8 without white space, members sorted by code point, numbers in one normal form by their
    decimal value. With `money` the amount is spelled by its decimal value too, as text, whether
    it came as text or number. Raises TypeError for what is not JSON, floats included.
    """
    pieces: list[str] = []
    if money is not None:
        value = _with_plain_amount(value, pointer_names(money.pointer))
    _append_canonical(value, pieces)
    return "".join(pieces).encode()


def digest(value: JSON, *, money: Money | None = None) -> str:
    """Hex SHA-256 of the value's canonical bytes."""
    return sha256(canonical_bytes(value, money=money)).hexdigest()


def _with_plain_amount(value: JSON, names: list[str]) -> JSON:
    """The value with the amount below `names`, if there is one, in its normal form as text."""
    if not names:
        amount = amount_of(value)
        return value if amount is None else number_text(amount)
    name, *rest = names
    if isinstance(value, dict) and name in value:
        return {**value, name: _with_plain_amount(value[name], rest)}
    if isinstance(value, list):
        return [
            _with_plain_amount(item, rest) if str(index) == name else item
            for index, item in enumerate(value)
        ]
    return value


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
