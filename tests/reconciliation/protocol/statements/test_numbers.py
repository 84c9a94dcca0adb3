"""Numbers are read in the declared style, and in no other."""

import pytest

from reconciliation.protocol.statements.numbers import described, plain_number
from reconciliation.protocol.statements.profile import NumberStyle

DE = NumberStyle(decimal=",", thousands=".")
EN = NumberStyle(decimal=".", thousands=",")
PLAIN = NumberStyle(decimal=".")
SWISS = NumberStyle(decimal=".", thousands="'")


@pytest.mark.parametrize(
    ("style", "text", "number"),
    [
        (DE, "1.000", "1000"),
        (DE, "1.111,11", "1111.11"),
        (DE, "-3.000", "-3000"),
        (DE, "50,00", "50.00"),
        (DE, "1234567,8", "1234567.8"),
        (DE, "007,5", "7.5"),
        (DE, "0,00", "0.00"),
        (EN, "1,000", "1000"),
        (EN, "1.000", "1.000"),
        (EN, "12,345,678.90", "12345678.90"),
        (SWISS, "1'000.05", "1000.05"),
        (PLAIN, "1.000", "1.000"),
        (PLAIN, "9" * 100, "9" * 100),
    ],
)
def test_a_number_of_the_style_is_read_exactly(style, text, number):
    assert plain_number(text, style) == number


@pytest.mark.parametrize(
    ("style", "text"),
    [
        (DE, "1.00"),
        (DE, "1.0000"),
        (DE, "1000.000"),
        (DE, "1,000.00"),
        (DE, "1,"),
        (DE, ",5"),
        (DE, ""),
        (DE, " 1"),
        (DE, "1 "),
        (DE, "3.000-"),
        (DE, "+1"),
        (DE, "--1"),
        (DE, "1e3"),
        (DE, "٣"),
        (DE, "NaN"),
        (PLAIN, "1,000"),
        (PLAIN, "1.000\n"),
        (PLAIN, "9" * 101),
    ],
)
def test_what_fits_no_declared_form_is_no_number(style, text):
    assert plain_number(text, style) is None


def test_a_style_is_described_by_a_number_of_it():
    assert described(DE) == "a number such as 1.234,56"
    assert described(PLAIN) == "a number such as 1234.56"
