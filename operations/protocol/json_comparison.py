"""Equality of two JSON values under rule P, told as a list of differences."""

from collections.abc import Iterator
from decimal import Decimal
from itertools import islice, zip_longest
from typing import NamedTuple

from operations.protocol.json_values import (
    JSON,
    MISSING,
    Missing,
    child_pointer,
    dumps,
    is_number,
    resolve,
)
from operations.protocol.money import Money, amount_of
from operations.protocol.words import shortened

MAX_DIFFERENCES = 100


class Difference(NamedTuple):
    """One place where two values differ. `expected` and `got` are JSON text or `missing`."""

    pointer: str
    expected: str
    got: str
    reason: str  # missing, unexpected, type, value


def differences(
    expected: JSON,
    got: JSON,
    *,
    money: Money | None = None,
    fields: tuple[str, ...] | None = None,
) -> list[Difference]:
    """Where `got` differs from `expected` under rule P; empty when they are equal.

    `money` names the pointer whose value compares as a decimal, string or number. `fields` are
    JSON pointers: only what stands there is compared. The first 100 differences are told.
    """
    amount_pointer = None if money is None else money.pointer
    pointers = ("",) if fields is None else fields
    found = (
        difference
        for pointer in pointers
        for difference in _compared(
            resolve(expected, pointer), resolve(got, pointer), pointer, amount_pointer
        )
    )
    return list(islice(found, MAX_DIFFERENCES))


def not_compared(payload: JSON, fields: tuple[str, ...] | None) -> list[str]:
    """Pointers of the payload's values that lie outside the significant fields."""
    if fields is None:
        return []
    return list(_outside(payload, "", fields))


def _outside(value: JSON, pointer: str, fields: tuple[str, ...]) -> Iterator[str]:
    if pointer in fields:
        return
    if not any(field.startswith(f"{pointer}/") for field in fields):
        yield pointer
    elif isinstance(value, dict):
        for name, member in value.items():
            yield from _outside(member, child_pointer(pointer, name), fields)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _outside(item, child_pointer(pointer, index), fields)
    else:
        yield pointer  # a field is named below it, where nothing can be


def _compared(
    expected: JSON | Missing, got: JSON | Missing, pointer: str, amount_pointer: str | None
) -> Iterator[Difference]:
    if pointer == amount_pointer and _is_same_amount(expected, got):
        return
    if isinstance(expected, dict | list) and type(expected) is type(got):
        for name, pair in _paired(expected, got):
            yield from _compared(*pair, child_pointer(pointer, name), amount_pointer)
    elif not _is_same_scalar(expected, got):
        yield _difference(expected, got, pointer)


def _paired(expected: JSON, got: JSON) -> Iterator[tuple[str | int, tuple[JSON, JSON]]]:
    """Members of the same name, or items of the same index; MISSING where one has none."""
    if isinstance(expected, dict):
        for name in (*expected, *(name for name in got if name not in expected)):
            yield name, (expected.get(name, MISSING), got.get(name, MISSING))
    else:
        yield from enumerate(zip_longest(expected, got, fillvalue=MISSING))


def _is_same_amount(expected: JSON, got: JSON) -> bool:
    amount = amount_of(expected)
    return amount is not None and amount == amount_of(got)


def _is_same_scalar(expected: JSON, got: JSON) -> bool:
    # Python says True == 1 and 1 == Decimal(1); rule P parts the first and joins the second.
    if is_number(expected) and is_number(got):
        return Decimal(expected) == Decimal(got)
    return type(expected) is type(got) and bool(expected == got)


def _difference(expected: JSON | Missing, got: JSON | Missing, pointer: str) -> Difference:
    if got is MISSING:
        reason = "missing"
    elif expected is MISSING:
        reason = "unexpected"
    else:
        reason = "value" if _is_same_type(expected, got) else "type"
    return Difference(pointer, _shown(expected), _shown(got), reason)


def _is_same_type(expected: JSON, got: JSON) -> bool:
    return (is_number(expected) and is_number(got)) or type(expected) is type(got)


def _shown(value: JSON | Missing) -> str:
    return "missing" if isinstance(value, Missing) else shortened(dumps(value))
