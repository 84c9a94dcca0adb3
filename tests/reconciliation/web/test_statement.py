"""The page of one statement: its dry run, its rows, and what two people decide about it."""

import pytest
from django.urls import reverse

from operations.models import AuditEntry, Operation
from operations.protocol.states import Grade, State
from reconciliation.models import Statement, StatementRun
from reconciliation.protocol.statements.outcomes import Outcome
from reconciliation.protocol.statements.passes import ProposalStatus, Purpose
from reconciliation.web.statement_words import TONES
from tests.browsing import Browser, forms_of, has_form, text_of
from tests.build import a_marked_operation, an_agent, as_actor
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
)

pytestmark = pytest.mark.django_db

LIST = "/receipts/statements/"


@pytest.fixture
def viewer() -> Browser:
    return Browser.of("viewer")


@pytest.fixture
def operator() -> Browser:
    return Browser.of("operator")


def sent(**given) -> Operation:
    return a_marked_operation(agent=an_agent(), **given)[0]


def page_of(statement: Statement) -> str:
    return f"{LIST}{statement.pk}/"


def uploaded(*values, by: Browser | None = None) -> StatementRun:
    """A person's file, compared."""
    actor = as_actor((by or Browser.of("operator")).user)
    return rehearsed(staged(lines_of(*values), actor=actor))


# One statement


def test_a_file_that_was_not_understood_says_which_row_and_why(viewer):
    statement = rehearsed(staged(lines_of(booked(sent())) + b"not json\n")).statement
    text = text_of(viewer.get(page_of(statement)))
    assert "row 2 (line 2): expected" in text
    assert "Nothing of the file counts" in text


def test_a_total_leads_to_its_rows(viewer):
    operation = sent()
    wrong = booked(operation, payload={"sku": "vanilla", "quantity": 5})
    run = uploaded(wrong, {"x": 1})
    shown = viewer.get(page_of(run.statement))
    [mismatch, unreadable] = shown.context["passes"][0].totals
    text = text_of(viewer.get(mismatch.url.split("#")[0]))
    assert "/quantity: expected 6, got 5." in text
    assert f'href="/operations/{operation.pk}/"' in text
    text = text_of(viewer.get(unreadable.url.split("#")[0]))
    assert "/operation_id: expected the operation&#x27;s key, got missing." in text


def test_rows_are_paged_in_the_files_order(viewer, monkeypatch):
    monkeypatch.setattr("reconciliation.web.statement.PAGE_SIZE", 2)
    run = uploaded(*(booked(sent()) for _ in range(3)))
    first = viewer.get(f"{page_of(run.statement)}?rows=confirms").context["rows"]
    assert [row.number for row in first["rows"]] == [1, 2]
    second = viewer.get(first["page"].next_url.split("#")[0]).context["rows"]
    assert [row.number for row in second["rows"]] == [3]
    assert second["page"].next_url == ""


@pytest.mark.parametrize("query", ["rows=moon", "rows=confirms&after=x", "applied=1"])
def test_an_address_that_is_none_of_its_own_is_refused(viewer, query):
    statement = staged(lines_of(booked(sent())))
    assert viewer.get(f"{page_of(statement)}?{query}").status_code == 400


@pytest.mark.parametrize("number", ["999", "9" * 30])
def test_a_statement_that_is_none_is_not_found(viewer, number):
    assert viewer.get(f"{LIST}{number}/").status_code == 404


def test_it_takes_a_role(client):
    address = page_of(staged(lines_of(booked(sent()))))
    assert Browser.of().get(address).status_code == 403
    assert client.get(address).status_code == 302


def test_it_can_be_compared_again(operator, viewer):
    run = uploaded(booked(sent()))
    assert not has_form(viewer.get(page_of(run.statement)), "rehearsal")
    shown = operator.get(page_of(run.statement))
    operator.send(shown, "rehearsal")
    assert run.statement.runs.count() == 2


def test_what_a_machine_brought_is_applied_by_its_command(operator):
    run = rehearsed(staged(lines_of(booked(sent()))))
    shown = operator.get(page_of(run.statement))
    assert not has_form(shown, "proposal")
    assert "--profile sandbox --apply" in text_of(shown)


# Two people


def test_one_proposes_and_another_agrees(operator):
    operation, second = sent(), Browser.of("approver")
    run = uploaded(booked(operation), by=operator)
    shown = operator.get(page_of(run.statement))
    assert "Confirms 1 operation, as attested" in text_of(shown)
    operator.send(shown, "proposal", reason="month's end")
    own = operator.get(page_of(run.statement))
    assert not has_form(own, "answer")
    assert "You proposed it: another person has to agree." in text_of(own)
    asked = second.get(page_of(run.statement))
    assert "month&#x27;s end" in text_of(asked)
    second.send(asked, "answer", reason="compared", answer="yes")
    finished(StatementRun.objects.get(purpose=Purpose.APPLY))
    done = second.get(page_of(run.statement))
    assert [item.title for item in done.context["passes"]] == ["Applied", "Dry run"]
    assert done.context["standing"].look.word == "applied"
    assert done.context["choice"] is None
    assert (fresh(operation).state, fresh(operation).grade) == (State.CONFIRMED, Grade.ATTESTED)


def test_a_no_changes_nothing(operator):
    second = Browser.of("operator")
    run = uploaded(booked(sent()), by=operator)
    proposal = proposed(run)
    answer = second.send(
        second.get(page_of(run.statement)), "answer", htmx=True, reason="no", answer="no"
    )
    assert "The proposal is rejected; nothing is changed." in text_of(answer)
    proposal.refresh_from_db()
    assert proposal.status == ProposalStatus.REJECTED


def test_an_answer_without_its_button_is_none():
    second = Browser.of("approver")
    run = uploaded(booked(sent()))
    proposed(run)
    answer = second.send(second.get(page_of(run.statement)), "answer", reason="ok")
    assert answer.status_code == 422
    assert not StatementRun.objects.filter(purpose=Purpose.APPLY).exists()


def test_a_proposal_on_an_older_dry_run_is_refused_beside_its_button(operator):
    run = uploaded(booked(sent()))
    shown = operator.get(page_of(run.statement))
    rehearsed(run.statement)
    answer = operator.send(shown, "proposal", htmx=True, reason="my words")
    assert answer.status_code == 409
    assert "a newer dry run" in text_of(answer)
    assert "my words" in text_of(answer)


def test_an_answer_is_to_a_proposal_of_this_statement(operator):
    second = Browser.of("approver")
    run, other = uploaded(booked(sent()), by=operator), uploaded(booked(sent()), by=operator)
    proposal = proposed(run)
    own = reverse("reconciliation:statement_answer", args=[run.statement_id, proposal.pk])
    wrong = reverse("reconciliation:statement_answer", args=[other.statement_id, proposal.pk])
    form = forms_of(second.get(page_of(run.statement)))[own]
    values = form.values | {"reason": "ok", "answer": "yes"}
    assert second.client.post(wrong, values).status_code == 404
    proposal.refresh_from_db()
    assert proposal.status == ProposalStatus.OPEN
    assert second.client.post(own, values).status_code == 303


def test_the_same_form_twice_is_one_proposal(operator):
    run = uploaded(booked(sent()))
    shown = operator.get(page_of(run.statement))
    first = operator.send(shown, "proposal", reason="month's end")
    second = operator.send(shown, "proposal", reason="month's end")
    assert (first.status_code, second.status_code) == (303, 303)
    assert run.statement.proposals.count() == 1


@pytest.mark.parametrize("role", ["viewer", "auditor", "admin"])
def test_others_are_told_which_role_it_takes(role):
    run = uploaded(booked(sent()))
    assert "takes the role operator" in text_of(Browser.of(role).get(page_of(run.statement)))
    proposed(run)
    text = text_of(Browser.of(role).get(page_of(run.statement)))
    assert "It takes the role approver or operator." in text


def test_what_was_left_says_why(operator):
    operation = sent()
    run = uploaded(booked(operation))
    Operation.objects.filter(pk=operation.pk).update(version=operation.version + 1)
    seconded(run)
    [total] = operator.get(page_of(run.statement)).context["passes"][0].totals
    assert total.name == "Left"
    text = text_of(operator.get(total.url.split("#")[0]))
    assert "The operation has changed" in text


def test_the_same_bytes_applied_as_another_statement_are_told(operator):
    content = booked(sent())
    first = applied(rehearsed(staged(lines_of(content)))).statement
    second = uploaded(content).statement
    text = text_of(operator.get(page_of(second)))
    assert f"The same file was applied as statement {first.pk}" in text
    assert not has_form(operator.get(page_of(second)), "proposal")


def test_its_file_is_downloaded_byte_for_byte(viewer):
    content = lines_of(booked(sent())) + b"\xff\x00" * 600_000
    statement = staged(content)
    assert statement.statementchunk_set.count() == 2
    shown = viewer.get(page_of(statement))
    assert f'href="{page_of(statement)}file/"' in text_of(shown)
    answer = viewer.get(f"{page_of(statement)}file/")
    assert b"".join(answer.streaming_content) == content
    assert answer.headers["Content-Disposition"].startswith("attachment; ")
    viewer.client.head(f"{page_of(statement)}file/")
    entry = AuditEntry.objects.get(event="export_statement")
    assert (entry.actor_id, entry.detail["digest"]) == (str(viewer.user.pk), statement.digest)
    assert viewer.get(f"{LIST}999/file/").status_code == 404
    assert Browser.of().get(f"{page_of(statement)}file/").status_code == 403


def test_every_outcome_has_its_tone():
    assert set(TONES) == set(Outcome)
