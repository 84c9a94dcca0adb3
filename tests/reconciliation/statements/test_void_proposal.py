"""A newer dry run ends what was proposed on an older one, and says so."""

import pytest

from operations.models import AuditEntry
from operations.protocol.refusals import AlreadyDecided
from reconciliation.actions.rehearse_statement import rehearse_statement
from reconciliation.actions.second_statement import second_statement
from reconciliation.models import StatementRun
from reconciliation.protocol.statements.passes import ProposalStatus, Purpose
from reconciliation.protocol.statements.profile import SANDBOX
from tests.browsing import Browser, text_of
from tests.build import a_marked_operation, an_agent
from tests.people import an_approver, an_operator
from tests.reconciliation.statements.importing import (
    booked,
    lines_of,
    proposed,
    rehearsed,
    staged,
)

pytestmark = pytest.mark.django_db


def uploaded() -> StatementRun:
    """A person's file with one exact match, rehearsed."""
    operation = a_marked_operation(agent=an_agent())[0]
    return rehearsed(staged(lines_of(booked(operation)), actor=an_operator()))


def shown(run: StatementRun, role: str) -> str:
    return text_of(Browser.of(role).get(f"/receipts/statements/{run.statement_id}/"))


def test_nobody_agrees_to_other_totals_than_those_that_were_proposed():
    rehearsal, compares = uploaded(), an_operator()
    proposal = proposed(rehearsal)
    rehearse_statement(statement=rehearsal.statement, profile=SANDBOX, actor=compares)
    proposal.refresh_from_db()
    assert (proposal.status, proposal.is_void) == (ProposalStatus.EXPIRED, True)
    for is_yes in (True, False):
        with pytest.raises(AlreadyDecided, match=r"expired \(by a newer dry run at "):
            second_statement(
                proposal_id=proposal.pk, actor=an_approver(), is_yes=is_yes, reason="read it"
            )
    entry = AuditEntry.objects.get(event="void_statement_proposal")
    assert (entry.actor_id, entry.detail["proposal"]) == (str(compares.person_id), proposal.pk)
    assert not StatementRun.objects.filter(purpose=Purpose.APPLY).exists()
    assert proposed(rehearsed(rehearsal.statement)).status == ProposalStatus.OPEN


def test_a_dry_run_that_is_under_way_voids_nothing_twice():
    rehearsal = uploaded()
    proposed(rehearsal)
    first = rehearse_statement(statement=rehearsal.statement, profile=SANDBOX)
    assert rehearse_statement(statement=rehearsal.statement, profile=SANDBOX) == first
    assert AuditEntry.objects.filter(event="void_statement_proposal").count() == 1


def test_the_page_says_that_it_is_void_and_lets_another_be_proposed():
    rehearsal = uploaded()
    by = proposed(rehearsal).proposed_by.username
    rehearsed(rehearsal.statement)
    text = shown(rehearsal, "operator")
    assert f"What {by} proposed is void, since the file was compared again after that." in text
    assert "waits for a second person" not in text
    assert "Propose to apply it" in text
    proposed(rehearsal.statement.runs.latest("pk"))
    assert "is void" not in shown(rehearsal, "operator")


def test_a_proposal_is_shown_with_the_totals_that_it_rests_on():
    rehearsal = uploaded()
    proposed(rehearsal)
    newer = StatementRun.objects.get(pk=rehearsal.pk)
    newer.pk, newer._state.adding, newer.counts = None, True, {"confirms": 7}
    newer.save(force_insert=True)
    text = shown(rehearsal, "approver")
    assert "Confirms 1 operation, as attested" in text
    assert "Confirms 7" not in text
