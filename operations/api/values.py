"""Types of single values in bodies and queries: strict, and refused with expected and got."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pydantic_core import PydanticCustomError, core_schema

from operations.protocol.payloads import JSON, dumps
from operations.protocol.refusals import TooLarge
from operations.protocol.words import shortened, storable

LARGEST = 2**63 - 1
WRONG_VALUE = "wrong_value"
UNKNOWN_MEMBER = "unknown_member"
_DIGITS = re.compile(r"[0-9]{1,19}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Rule:
    """The rule that a value keeps, to be put into Annotated: a check, and how OpenAPI says it."""

    check: Callable[[Any], Any]
    schema: dict[str, Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        """Pydantic's own coercion is left out: it would take "5" and true for numbers."""
        return core_schema.no_info_plain_validator_function(self.check)

    def __get_pydantic_json_schema__(self, source: Any, handler: Any) -> dict[str, Any]:
        """What the OpenAPI document shows."""
        return self.schema


def shown(value: Any) -> str:
    """A value as JSON text of at most 80 characters, for sentences."""
    return shortened(dumps(value), limit=80)


def wrong(expected: str, value: Any) -> PydanticCustomError:
    """What a validator raises; the problem document repeats expected and got."""
    return PydanticCustomError(
        WRONG_VALUE, "wrong value", {"expected": expected, "got": shown(value)}
    )


def unknown_member(name: str, known: Iterable[str]) -> PydanticCustomError:
    """What a body raises for a member that it doesn't take."""
    expected = ", ".join(known) or "no members"
    told = {"field": shortened(name, limit=80), "expected": expected}
    return PydanticCustomError(UNKNOWN_MEMBER, "unknown member", told)


def whole_number(least: int, most: int) -> Rule:
    """A JSON number without a fraction, both bounds included; 5.0 is 5, "5" and true are not."""

    def check(value: Any) -> int:
        is_number = isinstance(value, Decimal | int) and not isinstance(value, bool)
        if is_number and least <= value <= most and value == int(value):
            return int(value)
        raise wrong(f"a whole number, {least} to {most}", value)

    return Rule(check, {"type": "integer", "minimum": least, "maximum": most})


def fencing_token() -> Rule:
    """A claim's token. None and "" are no token: the action refuses and audits that (rule 4)."""
    number = whole_number(0, LARGEST)

    def check(value: Any) -> int | None:
        return None if value is None or value == "" else number.check(value)

    nothing = {"type": "string", "maxLength": 0}
    return Rule(check, {"anyOf": [number.schema, {"type": "null"}, nothing]})


def query_number(least: int, most: int) -> Rule:
    """The same in a query string: digits only."""

    def check(value: Any) -> int:
        if isinstance(value, int):
            return value  # the default
        if _DIGITS.fullmatch(value) and least <= int(value) <= most:
            return int(value)
        raise wrong(f"a whole number, {least} to {most}", value)

    return Rule(check, {"type": "integer", "minimum": least, "maximum": most})


def text(least: int, most: int) -> Rule:
    """A string of so many characters."""

    def check(value: Any) -> str:
        if isinstance(value, str) and least <= len(value) <= most:
            return value
        raise wrong(f"text of {least} to {most} characters", value)

    return Rule(check, {"type": "string", "minLength": least, "maxLength": most})


def reported_text(most: int) -> Rule:
    """A string that tells what a receiver said: odd characters are kept as escapes (rule P)."""

    def check(value: Any) -> str:
        if isinstance(value, str) and len(value) <= most:
            return storable(value)
        raise wrong(f"text of at most {most} characters", value)

    return Rule(check, {"type": "string", "maxLength": most})


def one_of(words: Iterable[str]) -> Rule:
    """One of a closed set of words."""
    known = [str(word) for word in words]

    def check(value: Any) -> str:
        if isinstance(value, str) and value in known:
            return value
        raise wrong(" or ".join(known), value)

    return Rule(check, {"type": "string", "enum": known})


def refuse_large(field: str, value: JSON, most: int) -> None:
    """Raises TooLarge when the value's JSON text has more than `most` bytes."""
    size = len(dumps(value).encode("utf-8", "surrogatepass"))
    if size > most:
        raise TooLarge(field=field, expected=most, got=size)
