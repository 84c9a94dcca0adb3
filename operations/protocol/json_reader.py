"""The strict JSON reader of rule P: what can't be compared or stored exactly is refused."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from json import JSONDecodeError
from typing import NamedTuple

from operations.protocol.json_place import pointer_at, too_deep_at
from operations.protocol.json_values import JSON, Number, child_pointer
from operations.protocol.refusal_input import MalformedJSON, TooLarge
from operations.protocol.words import shortened

MAX_BYTES = 1_048_576
MAX_DEPTH = 64
MAX_DIGITS = 100
_LARGEST, _SMALLEST = Decimal("1e308"), Decimal("1e-308")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_UNSTORABLE_ESCAPE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")


class Flaw(NamedTuple):
    """A value that is refused; put in the value's place until its pointer is known."""

    reason: str
    expected: str
    got: str
    name: str | None = None  # of the member of this object that is meant


def parse_json(
    raw: bytes | str,
    *,
    max_bytes: int = MAX_BYTES,
    max_depth: int = MAX_DEPTH,
    keeps_any_text: bool = False,
) -> JSON:
    """The value of one JSON text; numbers are `Number`, never floats.

    Raises TooLarge, and MalformedJSON with reason, pointer, expected and got for bytes that are
    not UTF-8, a byte order mark, bad syntax, duplicate members, NaN and infinities, numbers of
    over 100 digits or beyond 10^±308, nesting over `max_depth`, U+0000 and lone surrogates. The
    last two are kept with `keeps_any_text`: for what a receiver says, never for what we are asked.
    """
    text = _decoded(raw, max_bytes)
    _refuse_depth(text, max_depth)
    flaws: list[Flaw] = []
    try:
        value = _decoder(flaws).decode(text)
    except JSONDecodeError as error:
        raise _syntax_refusal(text, error) from None
    has_odd_text = not keeps_any_text and bool(_UNSTORABLE_ESCAPE.search(text))
    if flaws or has_odd_text:
        for pointer, flaw in _found(value, "", has_odd_text=has_odd_text):
            raise _refusal(flaw, pointer)
    return value


def _decoded(raw: bytes | str, max_bytes: int) -> str:
    try:
        encoded = raw.encode() if isinstance(raw, str) else raw
        if len(encoded) > max_bytes:
            raise TooLarge(expected=max_bytes, got=len(encoded))
        text = encoded.decode()
    except UnicodeEncodeError as error:
        place = f"a lone surrogate as character {error.start}"
        raise _refusal(Flaw("lone surrogate", "Unicode text", place)) from None
    except UnicodeDecodeError as error:
        place = f"byte 0x{encoded[error.start]:02x} at offset {error.start}"
        raise _refusal(Flaw("encoding", "UTF-8", place)) from None
    if text.startswith("\ufeff"):
        flaw = Flaw("byte order mark", "UTF-8 without a byte order mark", "U+FEFF at the start")
        raise _refusal(flaw)
    return text


def _refuse_depth(text: str, max_depth: int) -> None:
    # Before the decoder, which recurses: 100,000 brackets must be an answer, not a crash.
    if text.count("[") + text.count("{") <= max_depth:
        return
    place = too_deep_at(text, max_depth)
    if place is not None:
        expected, got = f"at most {max_depth} levels", f"level {max_depth + 1}"
        raise _refusal(Flaw("depth", expected, got), pointer_at(text, place))


def _decoder(flaws: list[Flaw]) -> json.JSONDecoder:
    def flawed(flaw: Flaw) -> Flaw:
        flaws.append(flaw)
        return flaw

    def number(lexeme: str) -> Number | Flaw:
        if len(lexeme) <= MAX_DIGITS and "e" not in lexeme and "E" not in lexeme:
            return Number(lexeme)  # can break neither limit
        flaw = _number_flaw(lexeme)
        return Number(lexeme) if flaw is None else flawed(flaw)

    def constant(name: str) -> Flaw:
        return flawed(Flaw("not a number", "a finite number", name))

    def members(pairs: list[tuple[str, JSON]]) -> dict[str, JSON] | Flaw:
        members = dict(pairs)
        if len(members) == len(pairs):
            return members
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        got = f"{counts[twice]} of that name"
        return flawed(Flaw("duplicate member", "each member once", got, twice))

    return json.JSONDecoder(
        parse_int=number,
        parse_float=number,
        parse_constant=constant,
        object_pairs_hook=members,
    )


def _number_flaw(lexeme: str) -> Flaw | None:
    """Judges the lexeme before `decimal` sees it: its exponent may be any number of digits."""
    mantissa, _, exponent = lexeme.lower().partition("e")
    digit_count = sum(character.isdigit() for character in mantissa)
    if max(digit_count, len(exponent)) > MAX_DIGITS:
        count = max(digit_count, len(exponent))
        return Flaw("number too long", f"at most {MAX_DIGITS} digits", f"{count} digits")
    # 10^±308 is out of reach of any mantissa of 100 digits from an exponent beyond ±408.
    is_zero = not mantissa.strip("-0.")
    if abs(int(exponent or 0)) <= 408 and (is_zero or _is_in_range(Decimal(lexeme))):
        return None
    expected = "0 or a size between 1e-308 and 1e308"
    return Flaw("number out of range", expected, shortened(lexeme, limit=40))


def _is_in_range(value: Decimal) -> bool:
    return _SMALLEST <= value.copy_abs() <= _LARGEST


def _found(value: JSON, pointer: str, *, has_odd_text: bool) -> Iterator[tuple[str, Flaw]]:
    """Each flaw with its pointer, in reading order."""
    if isinstance(value, Flaw):
        yield child_pointer(pointer, value.name) if value.name is not None else pointer, value
    elif isinstance(value, dict):
        for name, member in value.items():
            if has_odd_text and (odd := _UNSTORABLE.search(name)):
                yield child_pointer(pointer, ascii(name)[1:-1]), _text_flaw(odd[0])
            yield from _found(member, child_pointer(pointer, name), has_odd_text=has_odd_text)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _found(item, child_pointer(pointer, index), has_odd_text=has_odd_text)
    elif has_odd_text and isinstance(value, str) and (odd := _UNSTORABLE.search(value)):
        yield pointer, _text_flaw(odd[0])


def _text_flaw(character: str) -> Flaw:
    reason = "U+0000" if character == "\x00" else "lone surrogate"
    return Flaw(reason, "text of Unicode characters without U+0000", f"U+{ord(character):04X}")


def _syntax_refusal(text: str, error: JSONDecodeError) -> MalformedJSON:
    rest = text[error.pos : error.pos + 20]
    place = f"line {error.lineno}, column {error.colno}"
    got = f"{json.dumps(rest)} at {place}" if rest else f"the end of the text at {place}"
    expected = _EXPECTED.get(error.msg, f"JSON syntax ({error.msg})")
    return _refusal(Flaw("syntax", expected, got), pointer_at(text, error.pos))


_EXPECTED = {
    "Expecting value": "a value",
    "Expecting ',' delimiter": "a comma or the closing bracket",
    "Expecting ':' delimiter": "a colon after the member's name",
    "Expecting property name enclosed in double quotes": "a member's name in double quotes",
    "Extra data": "the end of the text",
    "Illegal trailing comma before end of object": "no comma before the closing bracket",
    "Illegal trailing comma before end of array": "no comma before the closing bracket",
    "Invalid control character at": "control characters as escapes",
    "Unterminated string starting at": "a closing quotation mark",
}


def _refusal(flaw: Flaw, pointer: str = "") -> MalformedJSON:
    pointer = shortened(_UNSTORABLE.sub("\ufffd", pointer), limit=300)
    return MalformedJSON(reason=flaw.reason, pointer=pointer, expected=flaw.expected, got=flaw.got)
