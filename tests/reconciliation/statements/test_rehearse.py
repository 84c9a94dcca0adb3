"""A dry run: each row beside the record, totals, and no operation changed."""

from dataclasses import replace

import pytest

from operations.actions.record_receipt import record_receipt
from operations.models import AuditEntry, Operation, Receipt
from operations.protocol.payloads import dumps
from operations.protocol.receipts import parse_receipt
from operations.protocol.states import Channel, State
from reconciliation.actions.rehearse_statement import rehearse_statement
from reconciliation.models import StatementRow, StatementRun
from reconciliation.protocol.statements.outcomes import Outcome
from reconciliation.protocol.statements.passes import RunStatus
from reconciliation.protocol.statements.profile import SANDBOX
from tests.build import (
    a_marked_operation,
    a_receipt,
    agent_actor,
    an_agent,
    an_operation,
    receive,
)
from tests.people import a_mismatch, an_operator
from tests.reconciliation.statements.importing import (
    HEADER,
    booked,
    declare,
    finished,
    fresh,
    lines_of,
    outcomes,
    rehearsed,
    staged,
)

pytestmark = pytest.mark.django_db


def sent(**given) -> Operation:
    return a_marked_operation(agent=given.pop("agent", None) or an_agent(), **given)[0]


def confirmed(*, channel=Channel.LOOKUP, **given):
    """An operation, and the record that confirmed it."""
    operation = sent(**given)
    value = a_receipt(operation)
    receive(operation, value, channel=channel)
    return fresh(operation), value


def test_each_row_is_told_for_what_it_is():
    matching, other, refused = sent(), sent(), sent()
    _, record = confirmed()
    file = lines_of(
        booked(matching),
        booked(other, payload={"sku": "vanilla", "quantity": 5}),
        booked(refused, status="refused", effect_id=None),
        record,
        booked(matching, operation_id="nobody-knows"),
        {"status": "confirmed"},
        booked(other, status="pending", effect_id=None),
    )
    run = rehearsed(staged(file))
    assert outcomes(run) == [
        Outcome.CONFIRMS,
        Outcome.MISMATCH,
        Outcome.REFUSES,
        Outcome.ALREADY,
        Outcome.UNMATCHED,
        Outcome.UNREADABLE,
        Outcome.NOT_PROOF,
    ]
    assert run.counts == dict.fromkeys(outcomes(run), 1)
    assert (run.status, run.row_count, run.offset) == (RunStatus.DONE, 7, len(file))


def test_no_operation_is_changed_and_no_receipt_is_kept():
    operation = sent()
    before = (fresh(operation).version, AuditEntry.objects.filter(operation=operation).count())
    rehearsed(staged(lines_of(booked(operation), booked(operation, operation_id="nobody"))))
    after = (fresh(operation).version, AuditEntry.objects.filter(operation=operation).count())
    assert (after, Receipt.objects.count()) == (before, 0)


def test_a_row_that_differs_says_where():
    operation = sent()
    run = rehearsed(staged(lines_of(booked(operation, payload={"sku": "vanilla", "quantity": 5}))))
    [row] = StatementRow.objects.filter(run=run)
    assert row.operation == operation
    assert row.detail["differences"] == [
        {"pointer": "/quantity", "expected": "6", "got": "5", "reason": "value"}
    ]


def test_an_unreadable_row_says_what_was_expected_and_got():
    file = HEADER + "order-1;B1;booked;vanilla;six\n"
    run = rehearsed(staged(file.encode(), profile="orders"))
    [row] = StatementRow.objects.filter(run=run)
    assert (row.outcome, row.line) == (Outcome.UNREADABLE, 2)
    assert row.detail == {"column": "pieces", "expected": "a number such as 1.234,56", "got": "six"}


def test_rows_meet_what_the_rows_above_them_settle():
    first, second = sent(), sent()
    same_effect, another = booked(first), booked(first)
    run = rehearsed(
        staged(
            lines_of(
                same_effect,
                another,  # a second effect for the first operation
                booked(second, effect_id=same_effect["effect_id"]),  # taken by the first
            )
        )
    )
    assert outcomes(run) == [Outcome.CONFIRMS, Outcome.LATE, Outcome.MISMATCH]


def test_what_a_batch_further_up_settled_is_met_as_well(monkeypatch):
    monkeypatch.setattr("reconciliation.actions.run_statement.BATCH_ROWS", 1)
    first, second = sent(), sent()
    record = booked(first)
    file = lines_of(record, booked(first), booked(second, effect_id=record["effect_id"]), record)
    run = rehearsed(staged(file))
    assert outcomes(run) == [
        Outcome.CONFIRMS,
        Outcome.LATE,
        Outcome.MISMATCH,
        Outcome.REPEATED,
    ]


def test_another_receivers_key_is_no_operation_of_this_one():
    operation = sent(receiver="manual")
    assert outcomes(rehearsed(staged(lines_of(booked(operation))))) == [Outcome.UNMATCHED]


def test_a_row_of_another_environment_confirms_nothing():
    operation = sent()
    value = booked(operation, environment="staging")
    assert outcomes(rehearsed(staged(lines_of(value)))) == [Outcome.MISMATCH]


def test_words_that_are_kept_already_are_known():
    operation, _ = a_mismatch()
    [kept] = Receipt.objects.filter(operation=operation)
    value = booked(operation, effect_id=kept.effect_id, payload={"sku": "vanilla", "quantity": 5})
    assert outcomes(rehearsed(staged(lines_of(value)))) == [Outcome.KNOWN]


def test_what_only_an_agent_reported_is_corroborated_by_a_machines_file_alone():
    operation, attempt = a_marked_operation(agent=an_agent())
    value = a_receipt(operation)
    record_receipt(
        operation_id=operation.pk,
        value=parse_receipt(value),
        channel=Channel.RESPONSE,
        raw=dumps(value).encode(),
        actor=agent_actor(operation.agent),
        token=attempt.token,
    )
    file = lines_of(value)
    assert outcomes(rehearsed(staged(file))) == [Outcome.CORROBORATES]
    assert outcomes(rehearsed(staged(file, actor=an_operator()))) == [Outcome.ALREADY]


def test_a_file_that_cannot_be_understood_fails_as_a_whole_and_says_where():
    operation = sent()
    file = lines_of(booked(operation)) + b'{"operation_id": \n' + lines_of(booked(operation))
    run = rehearsed(staged(file))
    assert run.status == RunStatus.FAILED
    assert (run.fault["row"], run.fault["line"]) == (2, 2)
    assert run.fault["sentence"].startswith("row 2 (line 2): expected ")
    assert "Nothing of the file counts" in run.fault["remedy"]
    assert (run.counts, outcomes(run)) == ({}, [])
    assert fresh(operation).state == State.SENT_UNKNOWN


def test_it_is_read_anew_when_the_profile_was_changed_in_between(settings):
    statement = staged(lines_of(booked(sent())))
    first = rehearsed(statement)
    settings.OPSCONSOLE = replace(
        settings.OPSCONSOLE, statements={"sandbox": replace(SANDBOX, receivers=("sandbox",))}
    )
    second = rehearsed(statement)
    assert first.form != second.form
    assert StatementRun.objects.filter(statement=statement).count() == 2


def test_a_dry_run_whose_profile_changed_under_way_says_so(settings):
    statement = staged(lines_of(booked(sent())))
    run = rehearse_statement(statement=statement, profile=SANDBOX)
    declare(settings)
    settings.OPSCONSOLE = replace(
        settings.OPSCONSOLE, statements={"sandbox": replace(SANDBOX, receivers=("sandbox",))}
    )
    assert finished(run).fault["sentence"] == "The profile sandbox was changed since this began."


def test_an_operation_that_was_never_sent_is_confirmed_by_no_row():
    operation = an_operation()
    assert outcomes(rehearsed(staged(lines_of(booked(operation))))) == [Outcome.KEPT]
