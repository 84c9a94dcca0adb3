"""JSON values without floats: numbers that keep their lexeme, pointers, exact text."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Any, Final, Self

# dict, list, str, bool, None, Number; code of ours may also build values with int and Decimal.
type JSON = Any

_SURROGATE = re.compile("[\ud800-\udfff]")


class Number(Decimal):
    """A JSON number: an exact decimal that remembers how it was written."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Self:
        """Expects the lexeme of a JSON number whose exponent `decimal` can hold."""
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        return type(self), (self.text,)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


class Missing:
    """The type of MISSING: a member that is not there, which is not null."""

    def __repr__(self) -> str:
        return "missing"


MISSING: Final = Missing()


def is_number(value: JSON) -> bool:
    """Whether the value is a JSON number; true and false are not."""
    return isinstance(value, Decimal | int) and not isinstance(value, bool)


def child_pointer(pointer: str, name: str | int) -> str:
    """The RFC 6901 pointer of a member or an array item below `pointer`."""
    return f"{pointer}/{str(name).replace('~', '~0').replace('/', '~1')}"


def pointer_names(pointer: str) -> list[str]:
    """The unescaped names of an RFC 6901 pointer; ValueError if it is none."""
    if pointer == "":
        return []
    if not pointer.startswith("/") or re.search(r"~(?![01])", pointer):
        raise ValueError(f"expected a JSON pointer such as /amount, got {pointer!r}")
    return [name.replace("~1", "/").replace("~0", "~") for name in pointer[1:].split("/")]


def resolve(value: JSON, pointer: str) -> JSON | Missing:
    """The value at the pointer, or MISSING."""
    for name in pointer_names(pointer):
        if isinstance(value, Mapping) and name in value:
            value = value[name]
        elif isinstance(value, list) and re.fullmatch(r"0|[1-9][0-9]{0,8}", name):
            if int(name) >= len(value):
                return MISSING
            value = value[int(name)]
        else:
            return MISSING
    return value


def dumps(value: JSON) -> str:
    """The value as compact JSON text: lexemes and member order kept, nothing rounded.

    Lone surrogates and control characters are written as escapes, so any text can be stored.
    Raises TypeError for what is not JSON, floats included.
    """
    return "".join(_pieces(value))


def _pieces(value: JSON) -> Iterator[str]:
    if isinstance(value, Mapping):
        separator = "{"
        for name, member in value.items():
            yield f"{separator}{quoted(name)}:"
            yield from _pieces(member)
            separator = ","
        yield "}" if value else "{}"
    elif isinstance(value, list | tuple):
        separator = "["
        for item in value:
            yield separator
            yield from _pieces(item)
            separator = ","
        yield "]" if value else "[]"
    else:
        yield _scalar(value)


def _scalar(value: JSON) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, Number):
        return value.text
    literal = literal_text(value)
    if literal is not None:
        return literal
    if is_number(value):
        return number_text(value)
    raise TypeError(f"expected a JSON value without floats, got {type(value).__name__}")


def literal_text(value: JSON) -> str | None:
    """`null`, `true` or `false`, or None for anything else."""
    if value is None:
        return "null"
    if value is True:
        return "true"
    return "false" if value is False else None


def quoted(text: str) -> str:
    """The text as a JSON string; only what must be escaped is."""
    if not isinstance(text, str):
        raise TypeError(f"expected text as a member's name, got {type(text).__name__}")
    quoted_text: str = encode_basestring(text)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted_text)


def number_text(value: Decimal | int) -> str:
    """The one normal form of a number by its decimal value: 10, 10.0 and 1e1 are `10`, -0 is `0`.

    Laid out as ECMAScript lays out numbers (RFC 8785), but exact, with any count of digits.
    """
    if isinstance(value, Number) and len(value.text) <= 21 and value.text.isdigit():
        return value.text  # most numbers; JSON has no leading zeros
    sign, digit_tuple, exponent = Decimal(value).as_tuple()
    if not isinstance(exponent, int):
        raise ValueError(f"expected a finite number, got {value}")
    digits = "".join(map(str, digit_tuple)).lstrip("0")
    if not digits:
        return "0"
    point = len(digits) + exponent  # the decimal point stands after this many digits
    digits = digits.rstrip("0")
    return ("-" if sign else "") + _laid_out(digits, point)


def _laid_out(digits: str, point: int) -> str:
    if len(digits) <= point <= 21:
        return digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{point - 1:+d}"
