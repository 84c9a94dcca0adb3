"""A statement that waits for a second person is told where people look for what waits."""

import pytest
from django.db import connection

from reconciliation.models import StatementRun
from reconciliation.queries.statements import statements_to_second
from tests.browsing import Browser, text_of
from tests.build import a_marked_operation, an_agent
from tests.database import as_superuser
from tests.people import an_operator
from tests.reconciliation.statements.importing import (
    booked,
    lines_of,
    proposed,
    rehearsed,
    seconded,
    staged,
)

pytestmark = pytest.mark.django_db

LINE = "wait for a second person"


def uploaded() -> StatementRun:
    operation = a_marked_operation(agent=an_agent())[0]
    return rehearsed(staged(lines_of(booked(operation)), actor=an_operator()))


@pytest.mark.parametrize("address", ["/", "/approvals/"])
def test_open_proposals_are_told_with_a_link(address):
    viewer = Browser.of("viewer")
    proposed(uploaded())
    text = text_of(viewer.get(address))
    link = '<a href="/receipts/statements/">'
    assert f"{link}1 statement waits for a second person</a>" in text
    proposed(uploaded())
    assert f"{link}2 statements {LINE}</a>" in text_of(viewer.get(address))
    assert f"2 statements {LINE}" in text_of(viewer.get(f"{address}?environment=production"))
    assert "for a second person" not in text_of(viewer.get(f"{address}?environment=staging"))


def test_what_is_answered_or_not_proposed_is_not_told():
    uploaded()
    seconded(uploaded())
    assert "for a second person" not in text_of(Browser.of("viewer").get("/approvals/"))


def test_one_that_is_overdue_does_not_wait_any_more():
    proposal = proposed(uploaded())
    assert statements_to_second() == 1
    step = proposal.expires_at - proposal.proposed_at
    with as_superuser(connection) as cursor:
        cursor.execute(
            "UPDATE reconciliation_statementproposal SET proposed_at = proposed_at - %s, "
            "expires_at = expires_at - %s WHERE id = %s",
            [step, step, proposal.pk],
        )
    assert statements_to_second() == 0
