"""`manage.py import_receipts`: a dry run by default, totals, and one sentence on mistakes."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from operations.models import Operation, Receipt
from operations.protocol.states import Grade, State
from reconciliation.models import Statement, StatementRun
from tests.build import a_marked_operation, an_agent
from tests.reconciliation.statements.importing import HEADER, booked, fresh, lines_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def file(tmp_path):
    """Writes a file and gives its path."""

    def write(content: bytes) -> str:
        path = tmp_path / "may.jsonl"
        path.write_bytes(content)
        return str(path)

    return write


def run(file: str, *arguments: str, profile: str = "sandbox", **given: str) -> str:
    out = StringIO()
    named = {"receiver": "sandbox", "environment": "production", "profile": profile} | given
    options = [f"--{name}={value}" for name, value in named.items()]
    call_command("import_receipts", file, *options, *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def sent() -> Operation:
    return a_marked_operation(agent=an_agent())[0]


def test_it_is_a_dry_run_that_prints_totals(file):
    operation = sent()
    value = booked(operation)
    said = run(file(lines_of(value, booked(operation, operation_id="nobody"), {"x": 1})))
    lines = [" ".join(line.split()) for line in said.splitlines()]
    assert "Exact match 1 would confirm its operation" in lines
    assert "No operation 1 would be kept as an unmatched receipt" in lines
    assert "Unreadable 1 is left out" in lines
    assert "Rows 3" in lines
    assert lines[-1] == "Nothing was changed: this was a dry run. --apply carries it out."
    assert fresh(operation).state == State.SENT_UNKNOWN
    assert not Receipt.objects.exists()


def test_with_apply_it_confirms_by_the_receivers_word(file):
    operation = sent()
    said = run(file(lines_of(booked(operation))), "--apply")
    assert "confirmed its operation" in said
    assert (fresh(operation).state, fresh(operation).grade) == (State.CONFIRMED, Grade.RECEIPT)
    assert Statement.objects.get().started_by != ""


def test_the_same_file_a_second_time_says_so_and_changes_nothing(file):
    operation = sent()
    path = file(lines_of(booked(operation)))
    run(path, "--apply")
    before = (fresh(operation).version, Receipt.objects.count(), StatementRun.objects.count())
    said = run(path, "--apply")
    assert "This file was applied before, as statement" in said
    assert (fresh(operation).version, Receipt.objects.count(), StatementRun.objects.count()) == (
        before
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"receiver": "moon"}, "receiver: expected one of manual, sandbox, got moon."),
        ({"environment": "mars"}, "environment: expected one of production, staging, got mars."),
        ({"profile": "de"}, "profile: expected one of orders, sandbox, got de."),
    ],
)
def test_a_name_that_is_not_configured_is_told(file, given, words):
    with pytest.raises(CommandError) as refused:
        run(file(b"{}\n"), **given)
    assert str(refused.value).startswith(words)


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(CommandError, match="expected a file that can be read; got"):
        run(str(tmp_path / "none.csv"))


def test_an_empty_file_is_told(file):
    with pytest.raises(CommandError, match="with 0 bytes"):
        run(file(b""))


def test_a_file_that_cannot_be_understood_says_which_row_and_why(file):
    operation = sent()
    content = lines_of(booked(operation)) + b"\xff\n"
    with pytest.raises(CommandError) as refused:
        run(file(content), "--apply")
    assert str(refused.value).startswith("row 2 (line 2): expected ")
    assert fresh(operation).state == State.SENT_UNKNOWN
    with pytest.raises(CommandError, match="the header"):
        run(file(b"a;b\n"), profile="orders")


def test_a_csv_file_is_read_as_its_profile_says(file):
    operation = sent()
    run(
        file(f"{HEADER}{operation.key};B1;booked;vanilla;6\n".encode()), "--apply", profile="orders"
    )
    assert fresh(operation).effect_id == "B1"
