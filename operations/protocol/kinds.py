"""Kinds: what a payload must look like, its amount, and its one-line title."""

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from operations.protocol.currencies import current_currencies, minor_units
from operations.protocol.json_schema import Mistake, SchemaValidator, schema_mistakes, validator_for
from operations.protocol.money import Money, amount_of
from operations.protocol.payloads import JSON, MISSING, dumps, resolve
from operations.protocol.words import shortened

__all__ = [
    "Kind",
    "Mistake",
    "Money",
    "money",
    "schema_mistakes",
    "title",
    "too_fine_amount",
    "validate_payload",
]

_LARGEST_AMOUNT = 10**15
_PLACE = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A sort of effect. `schema` is JSON Schema 2020-12; pointers are RFC 6901.

    `title_template` holds places such as {sku} (a member) or {/lines/0/sku} (a pointer).
    """

    name: str
    title: str
    schema: dict[str, Any]
    amount_pointer: str | None = None
    currency_pointer: str | None = None
    title_template: str = ""

    @cached_property
    def validator(self) -> SchemaValidator:
        """Judges payloads by the schema, without floats and without fetching anything."""
        return validator_for(self.schema)


def validate_payload(kind: Kind, payload: JSON) -> list[Mistake]:
    """Every mistake as (pointer, expected, got), in reading order; empty when it is acceptable."""
    return [*kind.validator.mistakes(payload), *_amount_mistakes(kind, payload)]


def money(kind: Kind, payload: JSON) -> Money | None:
    """The payload's amount, or None where the kind has none or the payload does not name it."""
    if kind.amount_pointer is None or kind.currency_pointer is None:
        return None
    amount = amount_of(resolve(payload, kind.amount_pointer))
    currency = resolve(payload, kind.currency_pointer)
    if amount is None or not isinstance(currency, str):
        return None
    return Money(amount, currency, kind.amount_pointer)


def too_fine_amount(kind: Kind, payload: JSON, *, currency: str) -> Mistake | None:
    """The amount that is written with more decimals than its currency has, if it is.

    Its currency is the payload's own, or `currency` where that names none. What is no amount, or
    in no known currency, is another matter.
    """
    if kind.amount_pointer is None or kind.currency_pointer is None:
        return None
    amount = amount_of(resolve(payload, kind.amount_pointer))
    named = resolve(payload, kind.currency_pointer)
    known = currency if named is MISSING else named
    if amount is None or not _is_currency(known):
        return None
    expected = _too_fine(amount, known)
    got = shortened(dumps(resolve(payload, kind.amount_pointer)), limit=60)
    return Mistake(kind.amount_pointer, expected, got) if expected else None


def title(kind: Kind, payload: JSON) -> str:
    """One line of at most 200 characters that says what the operation is about."""
    template = kind.title_template or kind.title
    line = _PLACE.sub(lambda place: _shown_at(payload, place[1]), template)
    return shortened(" ".join(_printable(line).split()), limit=160)


def template_pointers(template: str) -> list[str]:
    """The JSON pointers of a title template's places."""
    return [_as_pointer(place) for place in _PLACE.findall(template)]


def _as_pointer(place: str) -> str:
    return place if place.startswith("/") else f"/{place}"


def _shown_at(payload: JSON, place: str) -> str:
    value = resolve(payload, _as_pointer(place))
    if value is MISSING:
        return "(missing)"
    return shortened(value if isinstance(value, str) else dumps(value), limit=60)


def _printable(text: str) -> str:
    # Line breaks and direction marks could make one title look like another.
    return "".join(character if character.isprintable() else " " for character in text)


def _amount_mistakes(kind: Kind, payload: JSON) -> list[Mistake]:
    if kind.amount_pointer is None or kind.currency_pointer is None:
        return []
    currency = resolve(payload, kind.currency_pointer)
    mistakes = []
    if currency is not MISSING and not _is_currency(currency):
        got = shortened(dumps(currency), limit=60)
        mistakes.append(Mistake(kind.currency_pointer, "an ISO 4217 code such as EUR", got))
    value = resolve(payload, kind.amount_pointer)
    if value is not MISSING and not mistakes:
        expected = _broken_amount_rule(value, currency)
        if expected:
            got = shortened(dumps(value), limit=60)
            mistakes.append(Mistake(kind.amount_pointer, expected, got))
    return mistakes


def _is_currency(value: JSON) -> bool:
    return isinstance(value, str) and value in current_currencies()


def _broken_amount_rule(value: JSON, currency: JSON) -> str | None:
    """What would have been expected, or None if the amount is acceptable."""
    amount = amount_of(value)
    if amount is None:
        return 'a decimal such as "12.50"'
    if not 0 < amount < _LARGEST_AMOUNT:
        return f"more than 0 and less than {_LARGEST_AMOUNT}"
    if currency is MISSING:
        return "a currency beside the amount"
    return _too_fine(amount, currency)


def _too_fine(amount: Decimal, currency: JSON) -> str | None:
    """What would have been expected of an amount with more decimals than its currency has."""
    exponent = amount.as_tuple().exponent
    places = minor_units(currency)
    # As written, not by value: "100.000" may be meant as a hundred thousand.
    if isinstance(exponent, int) and -exponent > places:
        return f"at most {places} decimals in {currency}"
    return None
