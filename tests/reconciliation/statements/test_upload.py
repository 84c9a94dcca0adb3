"""What a person uploaded: `attested` at best, proposed by one and agreed to by another."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group
from django.db import IntegrityError, connection, transaction

from operations import clock
from operations.actions.take_case import take_case
from operations.models import AuditEntry, Operation, Receipt
from operations.protocol.refusals import AlreadyDecided, NotFound, NotPermitted, OwnRequest
from operations.protocol.states import Channel, Grade, Question, State, Verdict
from reconciliation.actions.propose_statement import PROPOSAL_SECONDS, propose_statement
from reconciliation.actions.second_statement import second_statement
from reconciliation.models import AppliedRow, StatementProposal, StatementRun
from reconciliation.protocol.refusals import NotRehearsed, StatementProposed
from reconciliation.protocol.statements.outcomes import Outcome
from reconciliation.protocol.statements.passes import ProposalStatus, Purpose
from tests.build import a_marked_operation, a_person, an_agent, as_actor
from tests.database import as_superuser
from tests.people import a_manual_unknown, an_approver, an_operator, refused_acts, the_user
from tests.receiver import configure
from tests.reconciliation.statements.importing import (
    applied,
    booked,
    finished,
    fresh,
    lines_of,
    proposed,
    rehearsed,
    seconded,
    staged,
    written,
)

pytestmark = pytest.mark.django_db


def sent(**given) -> Operation:
    return a_marked_operation(agent=given.pop("agent", None) or an_agent(), **given)[0]


def uploaded(*values, by=None):
    """A person's file, rehearsed."""
    return rehearsed(staged(lines_of(*values), actor=by or an_operator()))


def answer(proposal, *, by, is_yes=True):
    return second_statement(proposal_id=proposal.pk, actor=by, is_yes=is_yes, reason="read it")


def test_an_exact_match_confirms_as_attested_and_names_who_did_what():
    operation, uploader, second = sent(), an_operator(), an_approver()
    value = booked(operation)
    run = seconded(uploaded(value, by=uploader), by=second)
    now = fresh(operation)
    assert (now.state, now.grade, now.effect_id) == (
        State.CONFIRMED,
        Grade.ATTESTED,
        value["effect_id"],
    )
    [receipt] = now.receipts.all()
    assert (receipt.channel, receipt.entered_by_id) == (Channel.PERSON, uploader.person_id)
    entry = AuditEntry.objects.get(operation=operation, event="confirm")
    assert entry.actor_id == str(second.person_id)
    assert entry.detail["statement"] == run.statement_id
    assert entry.detail["entered_by"] == uploader.person_id
    assert run.counts == {"confirms": 1}


def test_nothing_is_applied_before_another_person_agrees():
    operation = sent()
    proposal = proposed(uploaded(booked(operation)))
    assert (proposal.status, proposal.run) == (ProposalStatus.OPEN, None)
    assert fresh(operation).state == State.SENT_UNKNOWN
    assert not StatementRun.objects.filter(purpose=Purpose.APPLY).exists()


def test_neither_proposer_nor_uploader_agrees():
    uploader, proposer = an_operator(), an_operator()
    proposal = proposed(uploaded(booked(sent()), by=uploader), by=proposer)
    for person in (uploader, proposer):
        with pytest.raises(OwnRequest):
            answer(proposal, by=person)
        assert refused_acts(person) == ["own_request"]
    assert answer(proposal, by=an_operator()).status == ProposalStatus.GRANTED


def test_the_database_refuses_them_too():
    uploader = an_operator()
    proposal = proposed(uploaded(booked(sent()), by=uploader))
    with pytest.raises(IntegrityError), transaction.atomic():
        StatementProposal.objects.filter(pk=proposal.pk).update(
            status=ProposalStatus.REJECTED,
            answered_by=uploader.person_id,
            answered_at=clock.now(),
        )


@pytest.mark.parametrize("role", ["viewer", "auditor", "admin", "approver"])
def test_uploading_and_proposing_take_an_operator(role):
    person = as_actor(a_person("", role))
    with pytest.raises(NotPermitted):
        staged(b"{}\n", actor=person)
    with pytest.raises(NotPermitted):
        proposed(uploaded(booked(sent())), by=person)
    assert refused_acts(person) == ["not_permitted", "not_permitted"]


def test_a_no_is_final_for_that_proposal_and_another_may_follow():
    rehearsal = uploaded(booked(sent()))
    first = proposed(rehearsal)
    assert answer(first, by=an_approver(), is_yes=False).status == ProposalStatus.REJECTED
    with pytest.raises(AlreadyDecided):
        answer(first, by=an_approver())
    assert proposed(rehearsal).status == ProposalStatus.OPEN
    events = AuditEntry.objects.filter(stream="receivers").values_list("event", flat=True)
    assert "reject_statement" in events


def test_one_proposal_is_open_at_a_time():
    rehearsal = uploaded(booked(sent()))
    proposed(rehearsal)
    with pytest.raises(StatementProposed):
        proposed(rehearsal)


def test_a_proposal_ends_after_half_an_hour_and_another_may_follow():
    rehearsal = uploaded(booked(sent()))
    proposal = proposed(rehearsal)
    step = timedelta(seconds=PROPOSAL_SECONDS)
    with as_superuser(connection) as cursor:
        cursor.execute(
            "UPDATE reconciliation_statementproposal SET proposed_at = proposed_at - %s, "
            "expires_at = expires_at - %s WHERE id = %s",
            [step, step, proposal.pk],
        )
    with pytest.raises(AlreadyDecided, match="expired"):
        answer(proposal, by=an_approver())
    assert proposed(rehearsal).status == ProposalStatus.OPEN
    proposal.refresh_from_db()
    assert proposal.status == ProposalStatus.EXPIRED


def test_only_the_newest_dry_run_is_proposed():
    first = uploaded(booked(sent()))
    rehearsed(first.statement)
    with pytest.raises(NotRehearsed, match="a newer dry run"):
        proposed(first)


def test_what_a_machine_brought_is_not_a_persons_to_propose():
    with pytest.raises(NotFound):
        proposed(rehearsed(staged(lines_of(booked(sent())))))


def test_one_person_is_enough_where_the_profile_says_so(settings):
    configure(settings, second_person=False)
    operation, operator = sent(), an_operator()
    proposal = proposed(uploaded(booked(operation), by=operator), by=operator)
    finished(proposal.run)
    assert (fresh(operation).state, fresh(operation).grade) == (State.CONFIRMED, Grade.ATTESTED)


def left(run: StatementRun) -> AppliedRow:
    [row] = AppliedRow.objects.filter(run=run)
    assert row.outcome == Outcome.LEFT
    return row


def test_who_had_a_part_in_a_request_does_not_confirm_it_in_a_batch_either():
    second = an_approver()
    mine, other = sent(agent=an_agent(responsible=the_user(second))), sent()
    run = seconded(uploaded(booked(mine), booked(other)), by=second)
    assert [fresh(each).state for each in (mine, other)] == [State.SENT_UNKNOWN, State.CONFIRMED]
    assert written(run) == {1: Outcome.LEFT, 2: Outcome.CONFIRMS}
    [receipt] = mine.receipts.all()
    assert (receipt.verdict, receipt.needs_explanation) == (Verdict.KEPT, True)
    assert "the requester of this request" in AppliedRow.objects.get(run=run, number=1).detail


def test_an_operation_that_changed_since_the_totals_is_left_for_a_person():
    operation = sent()
    rehearsal = uploaded(booked(operation))
    before = operation.version
    Operation.objects.filter(pk=operation.pk).update(version=before + 1)
    run = seconded(rehearsal)
    assert fresh(operation).state == State.SENT_UNKNOWN
    assert (
        left(run).detail
        == f"The operation has changed: expected version {before + 1}, got {before}."
    )


def test_a_case_that_somebody_holds_is_left_to_them():
    operation = sent()
    take_case(operation_id=operation.pk, actor=an_operator("ruth"), version=operation.version)
    run = seconded(uploaded(booked(operation)))
    assert "ruth holds for review" in left(run).detail


def test_a_row_that_became_a_match_since_is_left():
    later = booked(sent(), operation_id="order-later")
    rehearsal = uploaded(later)
    operation, _ = a_marked_operation(agent=an_agent(), key="order-later")
    run = seconded(rehearsal)
    assert fresh(operation).state == State.SENT_UNKNOWN
    assert "no exact match when people agreed" in left(run).detail


def test_a_second_person_who_lost_the_role_confirms_nothing_more():
    operation, second = sent(), an_approver()
    proposal = answer(proposed(uploaded(booked(operation))), by=second)
    the_user(second).groups.remove(Group.objects.get(name="approver"))
    run = finished(proposal.run)
    assert "expected approver or operator" in left(run).detail


def test_what_differs_is_kept_as_a_persons_word_and_asks():
    operation, uploader = sent(), an_operator()
    wrong = booked(operation, payload={"sku": "x", "quantity": 6})
    run = seconded(uploaded(wrong, by=uploader))
    [receipt] = operation.receipts.all()
    assert (receipt.verdict, receipt.entered_by_id) == (Verdict.MISMATCH, uploader.person_id)
    assert operation.reviews.get().question == Question.RECEIPT_MISMATCH
    assert run.counts == {"mismatch": 1}


def test_an_upload_neither_refuses_nor_raises_a_grade():
    refused, reported = sent(), sent()
    run = seconded(uploaded(booked(refused, status="refused", effect_id=None)))
    assert (fresh(refused).state, run.counts) == (State.SENT_UNKNOWN, {"kept": 1})
    value = booked(reported)
    seconded(uploaded(value))
    again = lines_of(value, booked(reported, operation_id="nobody"))
    assert applied(rehearsed(staged(again))).counts == {"corroborates": 1, "unmatched": 1}
    assert fresh(reported).grade == Grade.RECEIPT


def test_orphans_name_who_uploaded_them():
    uploader = an_operator()
    seconded(uploaded(booked(sent(), operation_id="nobody"), by=uploader))
    [orphan] = Receipt.objects.filter(operation=None)
    assert (orphan.channel, orphan.entered_by_id) == (Channel.PERSON, uploader.person_id)


def test_a_form_that_is_sent_twice_is_one_proposal_and_one_yes():
    rehearsal, proposer, second = uploaded(booked(sent())), an_operator(), an_approver()
    given = {
        "statement_id": rehearsal.statement_id,
        "rehearsal_id": rehearsal.pk,
        "actor": proposer,
        "reason": "month's end",
        "decision_id": "form-1",
    }
    first, again = propose_statement(**given), propose_statement(**given)
    assert first == again
    yes = {
        "proposal_id": first.pk,
        "actor": second,
        "is_yes": True,
        "reason": "ok",
        "decision_id": "form-2",
    }
    assert second_statement(**yes) == second_statement(**yes)
    assert StatementRun.objects.filter(purpose=Purpose.APPLY).count() == 1


def test_a_receiver_that_can_only_be_telephoned_is_settled_by_its_file():
    operation = a_manual_unknown()
    file = staged(lines_of(booked(operation)), actor=an_operator(), receiver="manual")
    run = seconded(rehearsed(file))
    assert run.counts == {"confirms": 1}
    assert (fresh(operation).state, fresh(operation).grade) == (State.CONFIRMED, Grade.ATTESTED)
    assert not operation.reviews.filter(closed_at=None).exists()
