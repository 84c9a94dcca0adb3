"""Numbers as a profile declares them. What fits no declared form is no number."""

import re
from functools import cache

from operations.protocol.json_reader import MAX_DIGITS
from reconciliation.protocol.statements.profile import NumberStyle


def plain_number(text: str, style: NumberStyle) -> str | None:
    """`1111.11` for `1.111,11` in the style of decimal comma and thousands point, else None.

    Thousands stand in groups of three or not at all; a minus stands in front. The digits behind
    the decimal mark are kept as they are.
    """
    found = _pattern(style).fullmatch(text)
    if found is None:
        return None
    whole = found["whole"].replace(style.thousands, "") if style.thousands else found["whole"]
    fraction = found["fraction"]
    if len(whole) + len(fraction or "") > MAX_DIGITS:
        return None
    whole = whole.lstrip("0") or "0"
    return f"{found['sign']}{whole}" + (f".{fraction}" if fraction else "")


def described(style: NumberStyle) -> str:
    """A number of the style, for sentences."""
    return f"a number such as 1{style.thousands}234{style.decimal}56"


@cache
def _pattern(style: NumberStyle) -> re.Pattern[str]:
    mark = re.escape(style.decimal)
    grouped = f"[0-9]{{1,3}}(?:{re.escape(style.thousands)}[0-9]{{3}})+|" if style.thousands else ""
    return re.compile(f"(?P<sign>-?)(?P<whole>{grouped}[0-9]+)(?:{mark}(?P<fraction>[0-9]+))?")
