"""Amounts go to Stripe exactly, or not at all."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operations.protocol.currencies import current_currencies
from operations.receivers.stripe_amounts import UnfitAmount, from_stripe, to_stripe

KEPT = [
    ("12.50", "EUR", 1250),
    ("12.5", "EUR", 1250),
    ("0.01", "USD", 1),
    ("500", "JPY", 500),
    ("500.00", "JPY", 500),
    ("5", "ISK", 500),
    ("5", "UGX", 500),
    ("10", "MGA", 10),
    ("5.12", "KWD", 5120),
    ("5.120", "TND", 5120),
    ("100.25", "HUF", 10025),
    ("9999999999.99", "EUR", 999_999_999_999),
]


@pytest.mark.parametrize(("amount", "currency", "units"), KEPT)
def test_an_amount_has_one_count_of_units_and_comes_back_equal(amount, currency, units):
    assert to_stripe(Decimal(amount), currency) == units
    assert Decimal(from_stripe(units, currency)) == Decimal(amount)


@pytest.mark.parametrize(
    ("amount", "currency"),
    [
        ("12.505", "EUR"),
        ("500.50", "JPY"),
        ("0.50", "ISK"),
        ("5.01", "UGX"),
        ("10.50", "MGA"),
        ("5.124", "KWD"),
        ("0", "EUR"),
        ("-1", "EUR"),
        ("10000000000.00", "EUR"),
        ("1" + "0" * 300, "EUR"),
        ("0." + "0" * 90 + "1", "EUR"),
    ],
)
def test_nothing_is_rounded(amount, currency):
    with pytest.raises(UnfitAmount, match=f" {currency}"):
        to_stripe(Decimal(amount), currency)


@pytest.mark.parametrize("currency", ["LYD", "IQD", "CLF", "UYW", "eur", "XXX", "DEM", ""])
def test_a_currency_of_which_stripe_documents_no_unit_is_refused_both_ways(currency):
    with pytest.raises(UnfitAmount, match="whose unit Stripe documents"):
        to_stripe(Decimal(1), currency)
    with pytest.raises(UnfitAmount):
        from_stripe(1, currency)


@pytest.mark.parametrize(
    ("units", "currency", "text"),
    [
        (1250, "EUR", "12.50"),
        (5, "EUR", "0.05"),
        (0, "EUR", "0.00"),
        (500, "JPY", "500"),
        (500, "ISK", "5"),
        (550, "ISK", "5.50"),  # from before krónur had to be whole
        (5120, "KWD", "5.120"),
        (10**30 + 1, "EUR", "1" + "0" * 28 + ".01"),
    ],
)
def test_units_are_written_as_a_payload_writes_them(units, currency, text):
    assert from_stripe(units, currency) == text


def test_less_than_nothing_is_no_amount():
    with pytest.raises(UnfitAmount):
        from_stripe(-1, "EUR")


@given(st.sampled_from(sorted(current_currencies())), st.integers(1, 10**12 - 1))
def test_whatever_stripe_may_say_comes_back_to_the_same_units_or_is_refused(currency, units):
    try:
        text = from_stripe(units, currency)
    except UnfitAmount:
        return
    try:
        assert to_stripe(Decimal(text), currency) == units
    except UnfitAmount:
        assert currency in "ISK UGX BHD JOD KWD OMR TND"
        assert units % 100
