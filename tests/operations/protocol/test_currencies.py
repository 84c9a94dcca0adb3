"""Which currencies exist, and their decimals by ISO 4217."""

import pytest

from operations.protocol.currencies import current_currencies, minor_units


@pytest.mark.parametrize(
    ("currency", "units"),
    [("JPY", 0), ("XOF", 0), ("EUR", 2), ("HUF", 2), ("KWD", 3), ("CLF", 4), ("UYW", 4)],
)
def test_minor_units_are_those_of_iso_4217(currency: str, units: int) -> None:
    assert minor_units(currency) == units


@pytest.mark.parametrize("currency", ["XAF", "XCD", "XCG", "XOF", "XPF"])
def test_currencies_of_several_countries_are_in_use(currency: str) -> None:
    assert currency in current_currencies()


@pytest.mark.parametrize("code", ["XAU", "XTS", "XXX", "DEM", "EURO", "eur", ""])
def test_metals_tests_and_what_is_gone_are_not(code: str) -> None:
    assert code not in current_currencies()
