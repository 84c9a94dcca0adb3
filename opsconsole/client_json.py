"""Exact JSON for the client: decimals go out digit by digit, and come back without rounding."""

import json
import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any


def dumps(value: Any) -> str:
    """JSON text of dicts, lists, tuples, text, bools, None, int, float and Decimal.

    Raises TypeError for anything else, ValueError for NaN and infinities.
    """
    return "".join(_pieces(value))


def loads(text: str | bytes) -> Any:
    """The value of a JSON text.

    Numbers with a fraction or exponent are floats where the float, written out again, has the
    very same value, else Decimals: nothing is rounded, and ordinary numbers fit any JSON library.
    """
    return json.loads(text, parse_float=_number, parse_constant=_refuse)


def _pieces(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        separator = "{"
        for name, member in value.items():
            if not isinstance(name, str):
                raise TypeError(f"expected text as a member's name, got {type(name).__name__}")
            yield f"{separator}{_quoted(name)}:"
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


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, Decimal | float):
        if not math.isfinite(value):
            raise ValueError(f"expected a finite number, got {value}")
        return str(value) if isinstance(value, Decimal) else float.__repr__(value)
    if value is None or isinstance(value, bool | int):
        return json.dumps(value)
    raise TypeError(f"expected a JSON value, got {type(value).__name__}")


def _quoted(text: str) -> str:
    # Lone surrogates have no UTF-8; they go out as escapes, and the console judges them.
    return json.dumps(text, ensure_ascii=not _is_utf8(text))


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _number(lexeme: str) -> float | Decimal:
    exact, near = Decimal(lexeme), float(lexeme)
    is_exact = math.isfinite(near) and Decimal(repr(near)) == exact
    return near if is_exact else exact


def _refuse(name: str) -> Any:
    raise ValueError(f"expected JSON, got {name}")
