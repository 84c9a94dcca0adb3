"""Statements as the field met them: marks, numbers, equal lines, character sets."""

from dataclasses import replace

import pytest

from operations.models import Operation, Receipt
from operations.protocol.states import State
from reconciliation.models import StatementRow
from reconciliation.protocol.refusals import UnknownStatementProfile
from reconciliation.protocol.statements.outcomes import Outcome
from reconciliation.protocol.statements.passes import RunStatus
from tests.build import a_marked_operation, an_agent
from tests.reconciliation.statements.importing import (
    HEADER,
    ORDERS,
    applied,
    declare,
    fresh,
    outcomes,
    rehearsed,
    staged,
)

pytestmark = pytest.mark.django_db


def sent(key: str, *, sku: str = "vanilla", quantity: str = "6") -> Operation:
    payload = f'{{"sku":"{sku}","quantity":{quantity}}}'
    return a_marked_operation(agent=an_agent(), key=key, payload=payload)[0]


def csv(*rows: str, encoding: str = "utf-8") -> bytes:
    return (HEADER + "".join(f"{row}\n" for row in rows)).encode(encoding)


def test_a_byte_order_mark_confirms_as_without_one():
    """Case 125: it does not glue itself to the first column's name."""
    marked, plain = sent("K1"), sent("K2")
    applied(rehearsed(staged(b"\xef\xbb\xbf" + csv("K1;B1;booked;vanilla;6"), profile="orders")))
    applied(rehearsed(staged(csv("K2;B2;booked;vanilla;6"), profile="orders")))
    assert [fresh(each).state for each in (marked, plain)] == [State.CONFIRMED] * 2


def test_an_unknown_column_stops_the_import_and_is_named():
    """Case 125: a column is never dropped without a word."""
    operation = sent("K1")
    file = b"reference;booking;state;article;number\nK1;B1;booked;vanilla;6\n"
    run = rehearsed(staged(file, profile="orders"))
    assert (run.status, run.fault["row"]) == (RunStatus.FAILED, 0)
    assert 'got a column "number" that is not declared' in run.fault["sentence"]
    assert fresh(operation).state == State.SENT_UNKNOWN


def test_numbers_are_read_as_declared_and_a_wrong_one_confirms_nothing():
    """Case 126: in a file with decimal comma 1.000 is a thousand, and never one."""
    thousand, one = sent("K1", quantity="1000"), sent("K2", quantity="1")
    file = csv("K1;B1;booked;vanilla;1.000", "K2;B2;booked;vanilla;1.000")
    run = applied(rehearsed(staged(file, profile="orders")))
    assert run.counts == {"confirms": 1, "mismatch": 1}
    assert [fresh(each).state for each in (thousand, one)] == [State.CONFIRMED, State.SENT_UNKNOWN]


def test_without_a_declared_form_nothing_is_guessed():
    """Case 126: how the numbers of a file are written is asked for."""
    sent("K1", quantity="1000")
    with pytest.raises(UnknownStatementProfile) as refused:
        staged(csv("K1;B1;booked;vanilla;1.000"), profile="")
    assert refused.value.detail == "profile: expected one of orders, sandbox, got nothing."
    assert "never guessed" in refused.value.remedy


def test_two_equal_lines_are_two_and_only_one_is_tied_to_the_operation():
    """Case 128: equal content is no identity; the other one may be a second effect."""
    operation = sent("K1")
    line = "K1;B1;booked;vanilla;6"
    run = applied(rehearsed(staged(csv(line, line), profile="orders")))
    assert run.counts == {"confirms": 1, "repeated": 1}
    assert [receipt.operation for receipt in Receipt.objects.order_by("id")] == [operation, None]
    again = csv(line, line, "K9;B9;booked;vanilla;6")
    second = applied(rehearsed(staged(again, profile="orders")))
    assert second.counts == {"already": 1, "known": 1, "unmatched": 1}
    assert Receipt.objects.filter(operation_key="K1").count() == 2


def test_two_equal_lines_of_no_operation_are_two_and_stay_two():
    """Case 128: neither vanishes, and importing them again adds none."""
    line = "K1;B1;booked;vanilla;6"
    applied(rehearsed(staged(csv(line, line), profile="orders")))
    assert Receipt.objects.filter(operation=None).count() == 2
    run = applied(rehearsed(staged(csv(line, line, line), profile="orders")))
    assert run.counts == {"known": 2, "unmatched": 1}


def test_letters_outside_ascii_and_quoted_line_breaks_are_read(settings):
    """Case 129: a file in Windows-1252 with CRLF keeps its names and its number of rows."""
    declare(settings, replace(ORDERS, encoding="cp1252", ignored=("note",)))
    operation = sent("K1", sku="Müller & Söhne")
    text = (
        "reference;booking;state;article;pieces;note\r\n"
        'K1;B1;booked;Müller & Söhne;6;"first line\r\nsecond; line"\r\n'
        "K2;B2;booked;Crème;1;\r\n"
    )
    run = applied(rehearsed(staged(text.encode("cp1252"), profile="orders")))
    assert (run.row_count, run.counts) == (2, {"confirms": 1, "unmatched": 1})
    assert fresh(operation).state == State.CONFIRMED


def test_a_file_that_cannot_be_decoded_is_one_error_and_nothing_is_imported():
    """Case 129: not a part of it, though rows above were fine."""
    operation = sent("K1")
    file = csv("K1;B1;booked;vanilla;6") + "K2;B2;booked;Müller;6\n".encode("cp1252")
    run = rehearsed(staged(file, profile="orders"))
    assert run.status == RunStatus.FAILED
    assert (run.fault["row"], run.fault["expected"]) == (2, "text in utf-8")
    assert run.fault["got"] == "byte 0xfc at place 15 of its line"
    assert (outcomes(run), Receipt.objects.count()) == ([], 0)
    assert fresh(operation).state == State.SENT_UNKNOWN


def test_a_failed_dry_run_shows_no_rows_of_earlier_batches(monkeypatch):
    """Case 129: rows that were read before it was clear count as nothing either."""
    monkeypatch.setattr("reconciliation.actions.run_statement.BATCH_ROWS", 1)
    sent("K1")
    run = rehearsed(staged(csv("K1;B1;booked;vanilla;6") + b'K2;"\n', profile="orders"))
    assert run.status == RunStatus.FAILED
    assert StatementRow.objects.filter(run=run, outcome=Outcome.CONFIRMS).exists()
    assert run.counts == {}
