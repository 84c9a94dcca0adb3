"""JSON lines: receipts as they stand, or values at declared places."""

from io import BytesIO

import pytest

from operations.protocol.json_values import Number
from operations.protocol.states import ReceiptStatus
from reconciliation.protocol.statements.profile import (
    SANDBOX,
    CellType,
    Format,
    PayloadCell,
    StatementProfile,
)
from reconciliation.protocol.statements.reader import read_rows
from reconciliation.protocol.statements.rows import Mistake, NotUnderstood
from tests.reconciliation.protocol.statements.forms import rows_of

LINE = b'{"operation_id":"K1","payload":{"n":1.0},"status":"confirmed","effect_id":"e1"}\n'
PLACED = StatementProfile(
    name="shop",
    format=Format.JSONL,
    key="/meta/order",
    effect_id="/id",
    status="/state",
    status_words=(("paid", ReceiptStatus.CONFIRMED),),
    payload=(
        PayloadCell(column="/total", pointer="/amount", type=CellType.AMOUNT),
        PayloadCell(column="/count", pointer="/n", type=CellType.NUMBER, is_optional=True),
    ),
)


def test_a_line_is_a_receipt_with_its_bytes():
    [row] = rows_of(SANDBOX, LINE)
    assert (row.value.operation_key, row.value.effect_id) == ("K1", "e1")
    assert row.value.payload == {"n": Number("1.0")}
    assert (row.number, row.line, row.raw) == (1, 1, LINE)


def test_a_mark_blank_lines_crlf_and_a_missing_last_line_end_change_nothing():
    file = b"\xef\xbb\xbf" + LINE.rstrip() + b"\r\n\r\n" + LINE.rstrip()
    first, second = rows_of(SANDBOX, file)
    assert first.value == second.value == rows_of(SANDBOX, LINE)[0].value
    assert (second.number, second.line) == (2, 3)


def test_a_line_that_is_json_and_no_receipt_is_unreadable():
    bad, good = rows_of(SANDBOX, b'{"operation_id":"K1"}\n' + LINE)
    assert bad.value == Mistake("/status", "confirmed, pending or refused", "missing")
    assert good.value.operation_key == "K1"


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (b'{"operation_id":', "row 2 (line 2): expected a value"),
        (b'{"a":1,"a":2}', "row 2 (line 2): expected each member once"),
        (b'{"a":NaN}', "row 2 (line 2): expected a finite number"),
        (b'"\xfc"', "row 2 (line 2): expected UTF-8"),
    ],
)
def test_a_line_that_is_no_json_stops_the_file_with_its_row(bad, words):
    with pytest.raises(NotUnderstood) as refused:
        rows_of(SANDBOX, LINE + bad + b"\n")
    assert str(refused.value).startswith(words)


def test_values_are_taken_from_the_declared_places():
    [row] = rows_of(
        PLACED, b'{"id":"e1","meta":{"order":"K1"},"state":"paid","total":"5.00","count":2}'
    )
    assert (row.value.operation_key, row.value.effect_id) == ("K1", "e1")
    assert row.value.payload == {"amount": "5.00", "n": Number("2")}


@pytest.mark.parametrize(
    ("line", "mistake"),
    [
        (b'{"meta":{"order":"K1"},"state":"paid"}', Mistake("/total", "a number", "nothing")),
        (b'{"meta":{"order":"K1"},"state":"gone"}', Mistake("/state", "one of paid", "gone")),
        (b'{"meta":{"order":7},"state":"paid"}', Mistake("/meta/order", "text", "7")),
        (
            b'{"meta":{"order":"K1"},"state":"paid","total":"5,00"}',
            Mistake("/total", "a number", "5,00"),
        ),
        (
            b'{"meta":{"order":"K1"},"state":"paid","total":true}',
            Mistake("/total", "a number", "true"),
        ),
    ],
)
def test_a_value_that_is_not_as_declared_names_its_place(line, mistake):
    assert rows_of(PLACED, line)[0].value == mistake


def test_reading_goes_on_behind_any_row():
    file = b"\xef\xbb\xbf" + LINE * 3
    whole = rows_of(SANDBOX, file)
    for row in whole:
        rest = list(read_rows(SANDBOX, BytesIO(file), after=row.place))
        assert rest == whole[row.number :]
