"""Amounts as Stripe counts them: whole numbers of a unit that is not always ISO 4217's.

The lists follow https://docs.stripe.com/currencies ("Zero-decimal currencies", "Three-decimal
currencies", "Special cases"). ISK and UGX have no decimals, but are sent as if they had two that
are always 00: 500 stands for 5. UGX stood among the zero-decimal ones too; the special case,
which gives that example, is followed. HUF and TWD are special for payouts alone.
"""

from decimal import Decimal
from typing import NamedTuple

from operations.protocol.currencies import current_currencies, minor_units

# Stripe takes no amount of more than twelve digits.
LARGEST_UNITS = 999_999_999_999


class _Rule(NamedTuple):
    """How many decimals an amount is shifted by, and of what its units are a multiple."""

    decimals: int
    step: int = 1

    @property
    def scale(self) -> int:
        """How many units the currency's own unit has."""
        return int(10**self.decimals)


_TWO_DECIMALS = _Rule(2)
_RULES = {
    code: rule
    for rule, codes in (
        (_Rule(0), "BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF"),
        (_Rule(2, 100), "ISK UGX"),
        # Their last digit has to be 0: the partners behind Stripe take two decimals.
        (_Rule(3, 10), "BHD JOD KWD OMR TND"),
    )
    for code in codes.split()
}


class UnfitAmount(Exception):
    """An amount that Stripe can't take as it is; nothing is rounded here."""

    def __init__(self, expected: str) -> None:
        self.expected = expected
        super().__init__(f"expected {expected}.")


def to_stripe(amount: Decimal, currency: str) -> int:
    """The amount in Stripe's units, exactly.

    `currency` is an ISO 4217 code in capitals. Raises UnfitAmount for what would have to be
    rounded, for a size Stripe does not take, and for a currency whose unit it does not document.
    """
    rule = _rule_of(currency)
    numerator, denominator = amount.as_integer_ratio()
    units, rest = divmod(numerator * rule.scale, denominator)
    if rest or units % rule.step:
        raise UnfitAmount(f"a multiple of {_written(rule.step, rule)} {currency}, as Stripe has it")
    if not 0 < units <= LARGEST_UNITS:
        largest = _written(LARGEST_UNITS - LARGEST_UNITS % rule.step, rule)
        raise UnfitAmount(f"more than 0 and at most {largest} {currency}")
    return units


def from_stripe(units: int, currency: str) -> str:
    """Stripe's units as a decimal such as "12.50"; every unit is kept.

    Raises UnfitAmount for a negative number and for a currency as in `to_stripe`.
    """
    rule = _rule_of(currency)
    if units < 0:
        raise UnfitAmount("no less than 0")
    is_whole = minor_units(currency) == 0 and units % rule.scale == 0
    return str(units // rule.scale) if is_whole else _written(units, rule)


def _rule_of(currency: str) -> _Rule:
    if currency in _RULES:
        return _RULES[currency]
    if currency not in current_currencies() or minor_units(currency) != 2:
        raise UnfitAmount("an ISO 4217 code in capitals, of a currency whose unit Stripe documents")
    return _TWO_DECIMALS


def _written(units: int, rule: _Rule) -> str:
    whole, part = divmod(units, rule.scale)
    return f"{whole}.{part:0{rule.decimals}d}" if rule.decimals else str(whole)
