"""What a machine fetched is applied: exact matches as `receipt`, the rest kept as evidence."""

from dataclasses import replace

import pytest

from operations import clock
from operations.models import AuditEntry, Operation, Receipt
from operations.protocol.states import Channel, Grade, Question, State, Verdict
from reconciliation.actions import apply_rows as applying
from reconciliation.actions.apply_statement import apply_statement
from reconciliation.actions.run_statement import run_statement
from reconciliation.models import StatementRun
from reconciliation.protocol.refusals import AppliedBefore, NotRehearsed
from reconciliation.protocol.statements.outcomes import Outcome
from reconciliation.protocol.statements.passes import Purpose, RunStatus
from reconciliation.protocol.statements.profile import SANDBOX
from reconciliation.queries.statement_runs import runs_due
from tests.build import a_marked_operation, an_agent, an_operation, receive
from tests.people import an_operator, an_unknown_outcome
from tests.reconciliation.statements.importing import (
    MACHINE,
    applied,
    booked,
    finished,
    fresh,
    lines_of,
    outcomes,
    rehearsed,
    staged,
    written,
)

pytestmark = pytest.mark.django_db


def sent(**given) -> Operation:
    return a_marked_operation(agent=given.pop("agent", None) or an_agent(), **given)[0]


def test_an_exact_match_confirms_by_the_receivers_own_word():
    operation = sent()
    value = booked(operation)
    run = applied(rehearsed(staged(lines_of(value))))
    now = fresh(operation)
    assert (now.state, now.grade, now.effect_id) == (
        State.CONFIRMED,
        Grade.RECEIPT,
        value["effect_id"],
    )
    [receipt] = now.receipts.all()
    assert (receipt.channel, bytes(receipt.raw)) == (Channel.STATEMENT, lines_of(value))
    assert (run.status, run.counts) == (RunStatus.DONE, {"confirms": 1})


def test_the_batch_and_each_operation_have_their_entry():
    operation = sent()
    run = applied(rehearsed(staged(lines_of(booked(operation)))))
    own = AuditEntry.objects.get(operation=operation, event="confirm")
    assert own.actor_id == f"statement {run.statement_id}"
    batch = AuditEntry.objects.filter(stream="receivers").order_by("seq")
    assert [entry.event for entry in batch] == [
        "stage_statement",
        "apply_statement",
        "end_statement",
    ]
    assert batch[1].detail["counts"] == batch[2].detail["counts"] == {"confirms": 1}
    assert batch[2].request_id == own.request_id


def test_a_mismatch_is_kept_and_asks_a_person():
    operation = sent()
    applied(rehearsed(staged(lines_of(booked(operation, payload={"sku": "x", "quantity": 6})))))
    assert fresh(operation).state == State.SENT_UNKNOWN
    [receipt] = operation.receipts.all()
    assert (receipt.verdict, receipt.needs_explanation) == (Verdict.MISMATCH, True)
    assert operation.reviews.get().question == Question.RECEIPT_MISMATCH


def test_an_unknown_key_is_kept_until_it_is_registered():
    value = booked(sent(), operation_id="order-later")
    run = applied(rehearsed(staged(lines_of(value))))
    [receipt] = Receipt.objects.filter(operation=None)
    assert (receipt.operation_key, receipt.channel) == ("order-later", Channel.STATEMENT)
    assert written(run) == {1: Outcome.UNMATCHED}
    later = an_operation(key="order-later")
    receipt.refresh_from_db()
    assert receipt.operation == later
    assert later.reviews.get().question == Question.RECEIPT_MISMATCH


def test_a_refusal_of_the_only_attempt_settles():
    operation = sent()
    value = booked(operation, status="refused", effect_id=None)
    run = applied(rehearsed(staged(lines_of(value))))
    assert fresh(operation).state == State.REFUSED
    assert run.counts == {"refuses": 1}


def test_a_second_effect_asks_a_person():
    operation = sent()
    receive(operation, booked(operation))
    run = applied(rehearsed(staged(lines_of(booked(operation)))))
    assert run.counts == {"late": 1}
    assert operation.reviews.get().question == Question.DUPLICATE_EFFECT


def test_what_is_confirmed_already_writes_nothing():
    operation = sent()
    value = booked(operation)
    receive(operation, value)
    before = fresh(operation).version
    run = applied(rehearsed(staged(lines_of(value))))
    assert (run.counts, written(run)) == ({"already": 1}, {})
    assert (fresh(operation).version, operation.receipts.count()) == (before, 1)


def test_the_same_file_twice_changes_nothing():
    operation = sent()
    file = lines_of(booked(operation), booked(operation, operation_id="nobody"))
    first = staged(file)
    rehearsal = rehearsed(first)
    applied(rehearsal)
    before = (fresh(operation).version, Receipt.objects.count(), AuditEntry.objects.count())
    assert staged(file) == first
    with pytest.raises(AppliedBefore) as refused:
        applied(rehearsal)
    assert f"as statement {first.pk} at " in refused.value.detail
    other_road = staged(file, actor=an_operator())
    with pytest.raises(AppliedBefore):
        applied(rehearsed(other_road))
    after = (fresh(operation).version, Receipt.objects.count())
    assert after == before[:2]


def test_another_file_with_the_same_rows_adds_nothing_but_what_is_new():
    first, second = sent(), sent()
    rows = [
        booked(first),
        booked(first, operation_id="nobody"),
        booked(second, payload={"sku": "x", "quantity": 6}),
    ]
    applied(rehearsed(staged(lines_of(*rows))))
    before = Receipt.objects.count()
    third = sent()
    run = applied(rehearsed(staged(lines_of(*rows, booked(third)))))
    assert run.counts == {"already": 1, "known": 2, "confirms": 1}
    assert Receipt.objects.count() == before + 1


def test_it_needs_a_dry_run_that_is_over():
    statement = staged(lines_of(booked(sent())) + b"not json\n")
    with pytest.raises(NotRehearsed, match="one that is failed"):
        applied(rehearsed(statement))
    assert not StatementRun.objects.filter(purpose=Purpose.APPLY).exists()


def test_what_happened_since_the_dry_run_is_judged_anew():
    operation, late = sent(), sent()
    value = booked(operation)
    file = lines_of(value, booked(late, operation_id="order-later"))
    rehearsal = rehearsed(staged(file))
    receive(operation, value)
    registered = an_operation(key="order-later")
    run = applied(rehearsal)
    assert outcomes(rehearsal) == [Outcome.CONFIRMS, Outcome.UNMATCHED]
    assert run.counts == {"already": 1, "kept": 1}
    assert registered.receipts.get().verdict == Verdict.KEPT


def test_one_effect_confirms_one_operation_within_a_file():
    first, second = sent(), sent()
    record = booked(first)
    run = applied(
        rehearsed(staged(lines_of(record, booked(second, effect_id=record["effect_id"]))))
    )
    assert [fresh(each).state for each in (first, second)] == [State.CONFIRMED, State.SENT_UNKNOWN]
    assert run.counts == {"confirms": 1, "mismatch": 1}


def test_the_question_that_it_answers_is_closed():
    operation = an_unknown_outcome()
    run = applied(rehearsed(staged(lines_of(booked(operation)))))
    assert (fresh(operation).state, run.counts) == (State.CONFIRMED, {"confirms": 1})
    assert not operation.reviews.filter(closed_at=None).exists()


def test_a_slice_ends_and_the_next_worker_goes_on(monkeypatch):
    monkeypatch.setattr("reconciliation.actions.run_statement.BATCH_ROWS", 2)
    operations = [sent() for _ in range(5)]
    statement = staged(lines_of(*(booked(each) for each in operations)))
    rehearsal = rehearsed(statement)
    run = apply_statement(rehearsal=rehearsal, profile=SANDBOX, actor=MACHINE)
    one = run_statement(run_id=run.pk, holder="a", for_seconds=0)
    assert (one.row_count, one.status) == (2, RunStatus.RUNNING)
    assert finished(run, for_seconds=0).counts == {"confirms": 5}


def test_a_key_that_is_registered_while_its_row_is_kept_has_its_row(monkeypatch):
    value = booked(sent(), operation_id="order-later")
    rehearsal = rehearsed(staged(lines_of(value, value)))
    keep = applying.keep_orphans

    def register_first(**given):
        if not Operation.objects.filter(key="order-later").exists():
            an_operation(key="order-later")
        return keep(**given)

    monkeypatch.setattr(applying, "keep_orphans", register_first)
    run = applied(rehearsal)
    assert written(run) == {1: Outcome.KEPT, 2: Outcome.REPEATED}
    assert run.counts == {"kept": 1, "repeated": 1}
    assert Receipt.objects.filter(operation__key="order-later").count() == 1


def test_matches_that_are_confirmed_together_read_as_those_that_are_not():
    """Neither the record nor its trail tells whether a person was asked about it before."""
    together, singly = sent(), an_unknown_outcome()
    applied(rehearsed(staged(lines_of(booked(together), booked(singly)))))
    told = [
        AuditEntry.objects.filter(operation=each, event="confirm")
        .values("actor_kind", "actor_id", "state_before", "state_after", "cause", "token")
        .get()
        for each in (together, singly)
    ]
    assert told[0] == told[1]
    names = [
        AuditEntry.objects.get(operation=each, event="confirm").detail
        for each in (together, singly)
    ]
    assert names[0].keys() == names[1].keys()
    kept = [
        Receipt.objects.filter(operation=each)
        .values("channel", "status", "verdict", "differences", "needs_explanation", "generation")
        .get()
        for each in (together, singly)
    ]
    assert kept[0] == kept[1]


def test_a_row_that_meets_another_of_its_operation_is_recorded_after_it():
    operation = sent()
    wrong = booked(operation, payload={"sku": "x", "quantity": 6})
    run = applied(rehearsed(staged(lines_of(wrong, booked(operation)))))
    assert run.counts == {"mismatch": 1, "confirms": 1}
    assert operation.reviews.get().question == Question.RECEIPT_MISMATCH
    assert fresh(operation).state == State.CONFIRMED


def test_an_application_whose_profile_was_changed_waits_for_it(settings):
    operation = sent()
    rehearsal = rehearsed(staged(lines_of(booked(operation))))
    run = apply_statement(rehearsal=rehearsal, profile=SANDBOX, actor=MACHINE)
    as_it_was = settings.OPSCONSOLE
    changed = {"sandbox": replace(SANDBOX, receivers=("sandbox",))}
    settings.OPSCONSOLE = replace(as_it_was, statements=changed)
    held = run_statement(run_id=run.pk, holder="a")
    assert (held.status, held.fault["sentence"]) == (
        RunStatus.WAITING,
        "The profile sandbox was changed since this began.",
    )
    assert runs_due(now=clock.now(), limit=10) == [], "it is not tried again at once"
    settings.OPSCONSOLE = as_it_was
    StatementRun.objects.filter(pk=run.pk).update(lease_until=clock.now())
    assert finished(run).counts == {"confirms": 1}
    assert finished(run).fault is None
