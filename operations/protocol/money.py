"""An amount of money: an exact decimal in a currency, and where it stands in a payload."""

import re
from dataclasses import dataclass
from decimal import Decimal

from operations.protocol.json_values import JSON, is_number

_DECIMAL_TEXT = re.compile(r"-?[0-9]{1,100}(\.[0-9]{1,100})?")


@dataclass(frozen=True, slots=True)
class Money:
    """An exact amount. `pointer` is where the amount stands in the payload it was read from."""

    amount: Decimal
    currency: str
    pointer: str = ""


def amount_of(value: JSON) -> Decimal | None:
    """The decimal that a JSON number or a plain decimal string such as "12.50" stands for.

    None for anything else: exponents, signs other than -, spaces and thousands separators too.
    """
    if is_number(value):
        return Decimal(value)  # a plain one, without the lexeme
    if isinstance(value, str) and _DECIMAL_TEXT.fullmatch(value):
        return Decimal(value)
    return None
