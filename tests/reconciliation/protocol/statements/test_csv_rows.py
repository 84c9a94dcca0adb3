"""CSV as declared: marks, encodings, line ends, quotes; what is otherwise stops the file."""

from io import BytesIO

import pytest

from operations.protocol.json_values import Number
from operations.protocol.states import ReceiptStatus
from reconciliation.protocol.statements.profile import CellType, PayloadCell, TimeForm
from reconciliation.protocol.statements.reader import read_rows
from reconciliation.protocol.statements.rows import LONGEST_ROW_BYTES, Mistake, NotUnderstood
from tests.reconciliation.protocol.statements.forms import AMOUNT, a_csv_profile, amounts, rows_of

FILE = b"reference;amount\nK1;50,00\n"
NAME = PayloadCell(column="supplier", pointer="/supplier/name")


def refusal_of(profile, file: bytes) -> str:
    with pytest.raises(NotUnderstood) as refused:
        rows_of(profile, file)
    return str(refused.value)


def test_a_byte_order_mark_changes_nothing():
    [plain], [marked] = (rows_of(a_csv_profile(), mark + FILE) for mark in (b"", b"\xef\xbb\xbf"))
    assert marked.value == plain.value
    assert marked.value.operation_key == "K1"
    assert marked.raw == plain.raw == b"K1;50,00\n"


@pytest.mark.parametrize(
    ("header", "words"),
    [
        (b"reference;sum\n", 'a column "sum" that is not declared'),
        (b"reference\n", 'no column "amount"'),
        (b"reference;amount;amount\n", '2 columns "amount"'),
        (b"Reference;amount\n", 'a column "Reference" that is not declared'),
        (b"\n\n", 'a column "K1" that is not declared'),
    ],
)
def test_a_header_that_is_not_declared_stops_the_file_and_is_named(header, words):
    said = refusal_of(a_csv_profile(), header + b"K1;50,00\n")
    assert said.startswith("the header (line ")
    assert "expected the columns reference, amount, got" in said
    assert words in said


def test_an_empty_file_has_no_header():
    assert 'no column "reference"' in refusal_of(a_csv_profile(), b"")


def test_a_column_may_be_declared_as_ignored():
    [row] = rows_of(a_csv_profile(ignored=("note",)), b"note;amount;reference\nx;50,00;K1\n")
    assert (row.value.operation_key, row.value.payload) == ("K1", {"amount": "50.00"})


def test_a_decimal_comma_is_read_as_declared_and_never_guessed():
    file = b"reference;amount\nK1;1.000\nK2;1.111,11\nK3;-3.000\nK4;1.00\n"
    assert amounts(a_csv_profile(), file) == [
        "1000",
        "1111.11",
        "-3000",
        Mistake("amount", "a number such as 1.234,56", "1.00"),
    ]


def test_letters_of_the_declared_encoding_line_breaks_in_quotes_and_crlf_are_kept():
    file = 'reference;supplier\r\nK1;"Müller & Söhne\r\n1st floor"\r\nK2;"a ""b"""\r\n'
    profile = a_csv_profile(encoding="cp1252", payload=(NAME,))
    first, second = rows_of(profile, file.encode("cp1252"))
    assert first.value.payload == {"supplier": {"name": "Müller & Söhne\r\n1st floor"}}
    assert second.value.payload == {"supplier": {"name": 'a "b"'}}
    assert (first.number, first.line, second.number, second.line) == (1, 2, 2, 4)
    assert first.raw == file.split("\r\n", 1)[1].split("K2")[0].encode("cp1252")


@pytest.mark.parametrize(
    ("encoding", "bad", "words"),
    [
        ("utf-8", b"K2;M\xfcller\n", "row 2 (line 3): expected text in utf-8, got byte 0xfc"),
        ("cp1252", b"K2;\x81\n", "row 2 (line 3): expected text in cp1252, got byte 0x81"),
    ],
)
def test_a_byte_that_is_none_of_the_encoding_stops_the_file_with_its_row(encoding, bad, words):
    profile = a_csv_profile(encoding=encoding, payload=(NAME,))
    assert refusal_of(profile, b"reference;supplier\nK1;x\n" + bad).startswith(words)


@pytest.mark.parametrize("bad", [b'K2;"never closed\nK3;1,00\n', b'K2;"50,00"x\n', b"K2;1\rK3;2\r"])
def test_what_is_no_csv_stops_the_file_with_its_row(bad):
    said = refusal_of(a_csv_profile(), FILE + bad)
    assert said.startswith("row 2 (line 3): expected CSV as declared, got")


def test_a_quote_that_is_not_closed_is_not_read_to_the_end_of_a_large_file():
    file = FILE + b'K2;"' + b"x" * 99 + b"\n" + b"y\n" * LONGEST_ROW_BYTES
    assert "row 2 (line 3): expected the end of the row within" in refusal_of(a_csv_profile(), file)


def test_a_row_with_other_cells_than_the_header_is_unreadable_and_the_next_is_read():
    first, second = rows_of(a_csv_profile(), b"reference;amount\nK1\nK2;50,00\n")
    assert first.value == Mistake("", "2 cells as the header has", "1 cells")
    assert second.value.operation_key == "K2"


def test_blank_lines_are_no_rows_and_equal_lines_are_two():
    file = b"reference;amount\nK1;50,00\n\nK1;50,00"
    assert [(row.number, row.line) for row in rows_of(a_csv_profile(), file)] == [(1, 2), (2, 4)]


def test_status_words_mean_what_the_profile_says():
    words = (("booked", ReceiptStatus.CONFIRMED), ("open", ReceiptStatus.PENDING))
    profile = a_csv_profile(every_row=None, status="state", status_words=words, payload=())
    found = rows_of(profile, b"reference;state\nK1;booked\nK2;open\nK3;Booked\n")
    assert [getattr(row.value, "status", row.value) for row in found] == [
        "confirmed",
        "pending",
        Mistake("state", "one of booked, open", "Booked"),
    ]


def test_an_instant_without_a_zone_gets_the_declared_one():
    form = TimeForm(pattern="%d.%m.%Y %H:%M", zone="Europe/Berlin")
    profile = a_csv_profile(time="at", time_form=form, payload=())
    good, bad = rows_of(profile, b"reference;at\nK1;01.07.2026 10:04\nK2;2026-07-01\n")
    assert good.value.occurred_at.isoformat() == "2026-07-01T10:04:00+02:00"
    assert bad.value == Mistake("at", "an instant written as %d.%m.%Y %H:%M", "2026-07-01")


def test_an_instant_of_no_zone_at_all_is_unreadable():
    [row] = rows_of(a_csv_profile(time="at", payload=()), b"reference;at\nK1;2026-07-01T10:04\n")
    assert row.value.expected == "an instant written as ISO 8601 with a zone"


def test_an_empty_cell_is_no_value_only_where_that_is_declared():
    optional = PayloadCell(column="n", pointer="/n", type=CellType.NUMBER, is_optional=True)
    left_out, given, empty = rows_of(
        a_csv_profile(payload=(AMOUNT, optional)),
        b"reference;amount;n\nK1;1,00;\nK2;1,00;7,50\nK3;;1\n",
    )
    assert left_out.value.payload == {"amount": "1.00"}
    assert given.value.payload == {"amount": "1.00", "n": Number("7.50")}
    assert empty.value == Mistake("amount", "a number such as 1.234,56", "an empty cell")


@pytest.mark.parametrize("row", [b";50,00\n", b"K\x00;50,00\n", b"k" * 256 + b";50,00\n"])
def test_a_key_that_is_none_names_its_column(row):
    [found] = rows_of(a_csv_profile(), b"reference;amount\n" + row)
    assert found.value.column == "reference"


def test_reading_goes_on_behind_any_row():
    file = b'\xef\xbb\xbfreference;amount\r\nK1;"1,\r\n00"\r\n\r\nK2;2,00\r\nK3;3,00\r\n'
    whole = rows_of(a_csv_profile(), file)
    assert len(whole) == 3
    for row in whole:
        rest = list(read_rows(a_csv_profile(), BytesIO(file), after=row.place))
        assert rest == whole[row.number :]
