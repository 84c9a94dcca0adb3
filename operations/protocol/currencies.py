"""Which currencies exist, and how many decimals ISO 4217 gives each."""

from functools import cache

from babel.core import get_global

# ISO 4217 minor units where they are not 2. CLDR's own digits are habits of display (it gives
# HUF and IDR none), and would refuse amounts that receivers book.
_MINOR_UNITS = {
    code: units
    for units, codes in (
        (0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"),
        (3, "BHD IQD JOD KWD LYD OMR TND"),
        (4, "CLF UYW"),
    )
    for code in codes.split()
}
_REGIONAL = frozenset({"XAF", "XCD", "XCG", "XOF", "XPF"})


@cache
def current_currencies() -> frozenset[str]:
    """The codes in use today; metals, test and "no currency" codes (X…) are left out."""
    codes = {
        code
        for uses in get_global("territory_currencies").values()
        for code, _, ended, _ in uses
        if ended is None
    }
    return frozenset(code for code in codes if code[0] != "X" or code in _REGIONAL)


def minor_units(currency: str) -> int:
    """How many decimals an amount in this currency may have."""
    return _MINOR_UNITS.get(currency, 2)
