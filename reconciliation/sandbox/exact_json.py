"""JSON in which a number keeps its own spelling, so that nothing is ever rounded."""

import json
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import NoReturn

MAX_DEPTH = 66  # a payload of 64, inside what carries it
MAX_DIGITS = 100
MAX_EXPONENT = 308


class NotExactJson(ValueError):
    """The text is not JSON that can be kept exactly; the message says why."""


@dataclass(frozen=True, slots=True)
class Number:
    """One number as it was written. Two are equal when their exact decimal values are."""

    text: str

    @property
    def value(self) -> Decimal:
        """The exact decimal value."""
        return Decimal(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Number) and self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value)


type Json = bool | str | Number | list[Json] | dict[str, Json] | None


def read(raw: bytes) -> Json:
    """Parse UTF-8 JSON. Values compare with `==` by exact decimal value, type and member set.

    Raises NotExactJson on bad syntax, a duplicate member, NaN, U+0000, a lone surrogate, nesting
    over 66, and numbers of over 100 digits or beyond 10^±308.
    """
    try:
        value: Json = json.loads(
            raw.decode("utf-8"),
            parse_float=_number,
            parse_int=_number,
            parse_constant=_refuse_constant,
            object_pairs_hook=_members,
        )
        _check(value, level=1)
    except UnicodeDecodeError as error:
        raise NotExactJson(f"expected UTF-8, got an undecodable byte at {error.start}") from error
    except json.JSONDecodeError as error:
        raise NotExactJson(f"expected JSON, got {error.msg} at {error.pos}") from error
    except RecursionError as error:
        raise NotExactJson(f"expected nesting of at most {MAX_DEPTH}, got more") from error
    return value


def write(value: Json) -> str:
    """The JSON text of a value: members in their order, numbers in their own spelling."""
    match value:
        case Number(text=text):
            return text
        case dict():
            return "{" + ",".join(f"{_text(k)}:{write(v)}" for k, v in value.items()) + "}"
        case list():
            return "[" + ",".join(write(item) for item in value) + "]"
        case str():
            return _text(value)
        case _:
            return json.dumps(value)


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _number(text: str) -> Number:
    digits = len(re.sub(r"[eE].*|\D", "", text))
    try:
        value = Decimal(text)
    except InvalidOperation as error:
        raise NotExactJson(f"expected a number within 10^±308, got {text[:40]}") from error
    if digits > MAX_DIGITS or (value and abs(value.adjusted()) > MAX_EXPONENT):
        raise NotExactJson(f"expected at most 100 digits within 10^±308, got {text[:40]}")
    return Number(text)


def _refuse_constant(text: str) -> NoReturn:
    raise NotExactJson(f"expected a JSON number, got {text}")


def _members(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise NotExactJson(f"expected each member once, got {twice!r} twice")
    return members


def _check(value: Json, *, level: int) -> None:
    if level > MAX_DEPTH and isinstance(value, dict | list):
        raise NotExactJson(f"expected nesting of at most {MAX_DEPTH}, got more")
    match value:
        case str():
            _check_text(value)
        case list():
            for item in value:
                _check(item, level=level + 1)
        case dict():
            for name, item in value.items():
                _check_text(name)
                _check(item, level=level + 1)
        case _:
            pass


def _check_text(value: str) -> None:
    if any(char == "\0" or "\ud800" <= char <= "\udfff" for char in value):
        raise NotExactJson("expected text without U+0000 and lone surrogates, got one")
