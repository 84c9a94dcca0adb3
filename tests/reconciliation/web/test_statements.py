"""The page of statements: what came, how each stands, and taking in another one."""

from dataclasses import replace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from operations.models import AuditEntry, Operation
from operations.protocol.states import State
from reconciliation.actions.rehearse_statement import rehearse_statement
from reconciliation.models import Statement, StatementRun
from reconciliation.protocol.statements.profile import SANDBOX
from tests.browsing import Browser, forms_of, text_of
from tests.build import a_marked_operation, an_agent, as_actor
from tests.reconciliation.statements.importing import (
    ORDERS,
    booked,
    declare,
    finished,
    fresh,
    lines_of,
    rehearsed,
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


def send_file(browser: Browser, content: bytes, **typed):
    form = forms_of(browser.get(LIST))[LIST]
    values = {"place": "production/sandbox", "profile": "sandbox"} | typed
    file = SimpleUploadedFile("may.jsonl", content)
    return browser.client.post(LIST, form.values | values | {"file": file})


# The list


def test_before_the_first_it_says_how_one_comes(viewer):
    assert "No statement yet" in text_of(viewer.get(LIST))
    assert "manage.py import_receipts" in text_of(viewer.get(LIST))


def test_each_file_is_listed_with_how_it_stands(viewer):
    first = uploaded(booked(sent())).statement
    second = rehearsed(staged(b"not json\n")).statement
    shown = viewer.get(LIST)
    rows = shown.context["files"]
    assert [(row.statement, row.standing.look.word) for row in rows] == [
        (second, "not understood"),
        (first, "compared"),
    ]
    assert f'href="{page_of(first)}"' in text_of(shown)


def test_a_name_of_a_file_is_text(viewer):
    staged(lines_of(booked(sent())), name="<b>may</b>.csv")
    assert "<b>may" not in text_of(viewer.get(LIST))


def test_the_list_is_narrowed_to_an_environment(viewer):
    uploaded(booked(sent()))
    assert len(viewer.get(f"{LIST}?environment=production").context["files"]) == 1
    assert viewer.get(f"{LIST}?environment=staging").context["files"] == []
    assert viewer.get(f"{LIST}?environment=mars").status_code == 400


def test_the_list_is_paged(viewer, monkeypatch):
    monkeypatch.setattr("reconciliation.web.statements.PAGE_SIZE", 2)
    numbers = [staged(lines_of(booked(sent()))).pk for _ in range(3)]
    first = viewer.get(LIST)
    second = viewer.get(first.context["page"].next_url)
    shown = [row.statement.pk for page in (first, second) for row in page.context["files"]]
    assert shown == numbers[::-1]


def test_the_list_takes_few_queries_whatever_the_data(viewer, django_assert_max_num_queries):
    for _ in range(5):
        uploaded(booked(sent()))
    with django_assert_max_num_queries(12):
        viewer.get(LIST)


def test_it_refreshes_itself_only_while_a_worker_is_at_it(viewer):
    statement = staged(lines_of(booked(sent())))
    run = rehearse_statement(statement=statement, profile=SANDBOX)
    for address, region in ((LIST, "statements"), (page_of(statement), "statement")):
        text = text_of(viewer.get(address))
        assert f'hx-get="{address}" hx-trigger="every 2s" hx-target="#{region}"' in text
    finished(run)
    for address in (LIST, page_of(statement)):
        assert "every 2s" not in text_of(viewer.get(address))


@pytest.mark.parametrize("region", [LIST, "one"])
def test_a_region_is_part_of_the_page(viewer, region):
    address = LIST if region == LIST else page_of(uploaded(booked(sent())).statement)
    part = viewer.part(address)
    assert "<html" not in text_of(part)
    assert text_of(part).strip()[:200] in text_of(viewer.get(address))
    assert "HX-Request" in part.headers["Vary"]


def test_they_belong_to_the_receipts(viewer):
    for address in (LIST, page_of(staged(lines_of(booked(sent()))))):
        nav = viewer.get(address).context["shell"]().nav
        assert [item.name for item in nav if item.is_current] == ["Receipts"]


# Uploading


def test_a_file_is_kept_and_compared_and_changes_nothing(operator):
    operation = sent()
    answer = send_file(operator, lines_of(booked(operation)))
    statement = Statement.objects.get()
    assert (answer.status_code, answer.headers["Location"]) == (303, page_of(statement))
    assert statement.uploaded_by == operator.user
    finished(statement.runs.get())
    shown = operator.get(page_of(statement))
    assert [total.name for total in shown.context["passes"][0].totals] == ["Exact match"]
    assert fresh(operation).state == State.SENT_UNKNOWN


def test_the_form_promises_a_second_person_only_where_the_profile_asks_for_one(operator):
    text = text_of(operator.get(LIST))
    assert "where the receiver’s profile asks for a second person" in text
    assert "only after another person has agreed" not in text


def test_the_same_file_twice_leads_to_the_first(operator):
    content = lines_of(booked(sent()))
    first = send_file(operator, content)
    second = send_file(operator, content)
    assert first.headers["Location"] == second.headers["Location"]
    assert StatementRun.objects.count() == 1
    assert "This very file came before" in text_of(operator.get(second.headers["Location"]))


@pytest.mark.parametrize("role", ["viewer", "auditor", "approver", "admin"])
def test_only_an_operator_uploads(role):
    browser = Browser.of(role)
    assert LIST not in forms_of(browser.get(LIST))
    browser.client.cookies["csrftoken"] = "a" * 32
    answer = browser.client.post(
        LIST,
        {"csrfmiddlewaretoken": "a" * 32, "file": SimpleUploadedFile("x", b"{}\n")},
    )
    assert (answer.status_code, Statement.objects.count()) == (403, 0)
    refused = AuditEntry.objects.get(event="refused_act")
    assert refused.detail["act"] == "stage_statement"


def test_without_a_token_of_its_form_nothing_is_taken(operator):
    answer = operator.client.post(LIST, {"file": SimpleUploadedFile("x", b"{}\n")})
    assert (answer.status_code, Statement.objects.count()) == (403, 0)


def test_what_is_left_out_is_asked_for(operator):
    answer = send_file(operator, b"{}\n", place="", profile="")
    assert answer.status_code == 422
    assert text_of(answer).count("This field is required.") == 2


def test_an_empty_file_is_refused_with_a_remedy(operator):
    answer = send_file(operator, b"")
    assert answer.status_code == 422
    assert "got may.jsonl with 0 bytes" in text_of(answer)
    assert "Export it again" in text_of(answer)


def test_a_form_that_is_not_this_receivers_is_refused(operator, settings):
    declare(settings, replace(ORDERS, receivers=("manual",)))
    answer = send_file(operator, b"x\n", profile="orders")
    assert "profile: expected one of sandbox, got orders." in text_of(answer)


def test_it_is_reached_from_the_receipts_page(viewer):
    assert f'href="{LIST}"' in text_of(viewer.get("/receipts/"))
