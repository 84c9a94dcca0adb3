"""[statements.NAME]: how a receiver's export is written."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from opsconsole.config_statements import read_statements
from opsconsole.toml_section import Section
from reconciliation.protocol.statements.profile import CellType, Format, NumberStyle, TimeForm

AMOUNT = {"column": "amount", "pointer": "/amount", "type": "amount"}
GOOD = {
    "format": "csv",
    "delimiter": ";",
    "encoding": "windows-1252",
    "decimal": "comma",
    "thousands": ".",
    "key": "reference",
    "effect_id": "booking",
    "status": "state",
    "confirmed": ["booked"],
    "pending": ["open"],
    "payload": [AMOUNT],
}


def read(given):
    root = Section({"statements": {"bank": given}}, "")
    return read_statements(root, {"sandbox", "manual"})["bank"]


def without(*names, **also):
    return {name: value for name, value in GOOD.items() if name not in names} | also


def test_a_profile_is_read_as_it_is_declared():
    found = read(GOOD | {"time": "at", "time_format": "%d.%m.%Y", "time_zone": "Europe/Berlin"})
    assert (found.format, found.delimiter, found.encoding) == (Format.CSV, ";", "cp1252")
    assert found.numbers == NumberStyle(decimal=",", thousands=".")
    assert found.status_words == (("booked", "confirmed"), ("open", "pending"))
    assert found.read_columns == ("reference", "booking", "state", "at", "amount")
    assert found.time_form == TimeForm(pattern="%d.%m.%Y", zone="Europe/Berlin")
    assert found.payload[0].type is CellType.AMOUNT


def test_the_sandboxs_own_export_is_built_in():
    assert read_statements(Section({}, ""), set())["sandbox"].holds_receipts


def test_a_statement_without_a_status_says_what_its_rows_are():
    given = without("status", "confirmed", "pending", every_row="confirmed")
    assert read(given).every_row == "confirmed"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (GOOD | {"format": "xls"}, "format: expected one of csv, jsonl"),
        (GOOD | {"delimiter": ";;"}, "delimiter: expected one of"),
        (GOOD | {"encoding": "utf-16"}, "encoding: expected one of ascii"),
        (GOOD | {"encoding": "no such"}, "encoding: expected one of ascii"),
        (without("decimal", "thousands"), "decimal: expected comma or point, since a column"),
        (without("decimal"), "decimal: expected comma or point"),
        (GOOD | {"thousands": ","}, "thousands: expected another mark than the decimal one"),
        (GOOD | {"thousands": "0"}, "thousands: expected a point"),
        (without("status"), "status: expected a column, or every_row"),
        (GOOD | {"every_row": "confirmed"}, "status: expected a column, or every_row"),
        (without("status", every_row="confirmed"), "every_row: expected one of confirmed"),
        (GOOD | {"confirmed": []}, "confirmed: expected words, each with one meaning"),
        (GOOD | {"pending": ["booked"]}, "confirmed: expected words, each with one meaning"),
        (GOOD | {"time_zone": "Europe/Berlin"}, "time_format: expected a pattern"),
        (GOOD | {"time_format": "%d.%m.%Y"}, "time_zone: expected a zone"),
        (
            GOOD | {"time_format": "%d.%m.%Y", "time_zone": "Moon"},
            "time_zone: expected a name such as",
        ),
        (GOOD | {"time_format": "%d.%m."}, "time_format: expected a pattern with a year"),
        (GOOD | {"payload": [AMOUNT, AMOUNT]}, "payload: expected places beside each other"),
        (
            GOOD | {"payload": [AMOUNT, AMOUNT | {"pointer": "/amount/x"}]},
            "payload: expected places beside each other",
        ),
        (GOOD | {"payload": [AMOUNT | {"pointer": "amount"}]}, "expected a JSON pointer"),
        (GOOD | {"payload": [AMOUNT | {"pointer": ""}]}, "expected a JSON pointer"),
        (GOOD | {"payload": [AMOUNT | {"type": "float"}]}, "expected one of text, number, amount"),
        (GOOD | {"receivers": ["moon"]}, "receivers: expected some of manual, sandbox"),
        (GOOD | {"colour": "red"}, "colour: expected one of"),
        (
            {"format": "jsonl", "key": "ref", "every_row": "confirmed"},
            "expected a JSON pointer such as /amount; got 'ref'",
        ),
    ],
)
def test_a_mistake_is_told_by_its_key(given, words):
    with pytest.raises(ImproperlyConfigured) as refused:
        read(given)
    assert words in str(refused.value)


def test_a_built_in_name_is_not_given_twice():
    root = Section({"statements": {"sandbox": GOOD}}, "")
    with pytest.raises(ImproperlyConfigured, match="a name of lower case that is not built in"):
        read_statements(root, set())
