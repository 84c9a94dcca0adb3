"""The audit page: filters, pages, who may read it, and whether what is shown holds."""

from datetime import timedelta

import pytest
from django.db import connection

from operations import clock
from operations.actions.add_note import add_note
from operations.actions.cancel_operation import cancel_operation
from operations.models import AuditEntry, AuditWords
from tests.browsing import Browser, text_of
from tests.build import (
    a_claim,
    a_marked_operation,
    a_person,
    a_receipt,
    agent_actor,
    an_agent,
    an_operation,
    as_actor,
    receive,
)
from tests.database import as_superuser
from tests.people import a_mismatch, an_unknown_outcome

pytestmark = pytest.mark.django_db

LIST = "/audit/"


def events(browser, query="", **given):
    """The events that one page shows, in order, without those of signing in."""
    entries = browser.get(f"{LIST}{query}", **given).context["entries"]
    return [row.entry.event for row in entries if row.entry.event != "sign_in"]


def tamper(statement, **values):
    with as_superuser(connection) as cursor:
        cursor.execute(statement, values)
        assert cursor.rowcount == 1


@pytest.fixture
def auditor() -> Browser:
    return Browser.of("auditor")


@pytest.mark.parametrize("role", ["auditor", "operator", "approver"])
def test_these_roles_read_it(role):
    an_operation()
    assert events(Browser.of(role)) == ["register"]


@pytest.mark.parametrize("roles", [["viewer"], ["admin"], []])
def test_others_are_told_that_they_may_not(roles):
    assert Browser.of(*roles).get(LIST).status_code == 403


def test_anonymous_people_are_sent_to_the_sign_in(client):
    assert client.get(LIST)["Location"] == "/accounts/login/?next=/audit/"


def test_a_row_tells_who_what_and_why_and_leads_to_the_operation(auditor):
    operation = an_operation(key="order-7")
    ruth = a_person("ruth", "operator")
    add_note(operation_id=operation.pk, actor=as_actor(ruth), text="Rang <b>them</b>.")
    row = auditor.get(f"{LIST}?event=note").context["entries"][0]
    assert (row.actor_name, row.reason, row.subject) == ("ruth", "Rang <b>them</b>.", "order-7")
    text = text_of(auditor.get(f"{LIST}?event=note"))
    assert "Left a note" in text
    assert "Rang &lt;b&gt;them&lt;/b&gt;." in text
    assert f'href="/operations/{operation.pk}/"' in text
    assert bytes(row.entry.hash).hex() in text


def test_erased_words_name_nobody(auditor):
    operation = an_operation()
    ruth = a_person("ruth", "operator")
    add_note(operation_id=operation.pk, actor=as_actor(ruth), text="Private.")
    AuditWords.objects.filter(actor_name="ruth").update(actor_name="", reason="")
    text = text_of(auditor.get(f"{LIST}?operation={operation.pk}"))
    assert "ruth" not in text
    assert "Private." not in text
    assert f"person {ruth.pk}" in text
    assert "chain whole, 2 entries" in text


def test_the_region_is_part_of_the_page(auditor):
    an_operation()
    page, region = auditor.get(f"{LIST}?event=register"), auditor.part(f"{LIST}?event=register")
    assert "<html" not in text_of(region)
    assert text_of(region).strip().startswith('<section class="card card--flush" id="entries"')
    assert text_of(region).strip().splitlines()[1] in text_of(page)
    assert "HX-Request" in region["Vary"]


@pytest.fixture
def story():
    """Two operations of two agents; one was sent and confirmed, one was withdrawn."""
    first, _ = a_marked_operation(agent=an_agent("ann"), key="order-1")
    receive(first, a_receipt(first))
    second = an_operation(agent=an_agent("ben"), key="order-2", environment="staging")
    cancel_operation(
        operation_id=second.pk,
        actor=agent_actor(second.agent),
        version=second.version,
        reason="Not needed.",
    )
    return first, second


ALL = ["cancel", "register", "confirm", "mark", "claim", "register"]


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("", ALL),
        ("?kind=system", ["confirm"]),
        ("?kind=person", []),
        ("?kind=agent&event=register", ["register", "register"]),
        ("?event=mark", ["mark"]),
        ("?state=confirmed", ["confirm"]),
        ("?state=ready", ["register", "claim", "register"]),
        ("?actor=BEN", ["cancel", "register"]),
        ("?actor=reconciler", ["confirm"]),
        ("?actor=nobody", []),
        ("?operation=order-2", ["cancel", "register"]),
        ("?operation=order-3", []),
        ("?environment=staging", ["cancel", "register"]),
        ("?trail=operation", ALL),
        ("?trail=configuration", []),
        ("?q=order-1", ["confirm", "mark", "claim", "register"]),
        ("?q=ben", ["cancel", "register"]),
        ("?q=%00", []),
        ("?q=order", []),
    ],
)
def test_filters_narrow_the_list(auditor, story, query, wanted):
    assert events(auditor, query) == wanted


def test_it_is_found_by_the_operations_id(auditor, story):
    first, _ = story
    assert events(auditor, f"?operation={first.pk}") == ["confirm", "mark", "claim", "register"]
    assert events(auditor, f"?q={first.pk}")[-1] == "register"


def test_it_is_found_by_the_request_that_made_it(auditor):
    operation, operator = an_operation(), Browser.of("operator")
    operator.send(operator.open(operation), "note", text="Hello.")
    made = AuditEntry.objects.get(event="note")
    assert made.request_id
    assert events(auditor, f"?request={made.request_id}") == ["note"]
    assert events(auditor, f"?q={made.request_id}") == ["note"]


def test_it_is_narrowed_by_time(auditor):
    an_operation()
    now = clock.now()
    hour = timedelta(hours=1)
    for since, until, wanted in (
        (now - hour, now + hour, ["register"]),
        (now + hour, now + 2 * hour, []),
        (now - 2 * hour, now - hour, []),
    ):
        given = {"since": f"{since:%Y-%m-%dT%H:%M}", "until": f"{until:%Y-%m-%dT%H:%M}"}
        assert events(auditor, query_params=given) == wanted


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("?event=lost", "event: expected one of"),
        ("?kind=robot", "who: expected one of person, agent, system, got “robot”."),
        ("?state=gone", "state after: expected one of"),
        ("?since=soon", "from: expected an instant such as 2026-11-30 10:04, got “soon”."),
        ("?until=2026-13-01", "to: expected an instant"),
    ],
)
def test_what_is_not_understood_is_said_and_finds_nothing(auditor, query, told):
    an_operation()
    answer = auditor.get(f"{LIST}{query}")
    assert answer.context["entries"] == []
    assert told in text_of(answer)


def test_chips_take_one_filter_away_and_the_form_carries_the_others(auditor):
    answer = auditor.get(f"{LIST}?operation=order-1&actor=ann&event=mark")
    chips = {chip.name: chip.url for chip in answer.context["filter"].chips}
    assert chips["event"] == "/audit/?actor=ann&operation=order-1"
    assert '<input type="hidden" name="operation" value="order-1">' in text_of(answer)


def test_pages_neither_skip_nor_repeat_while_entries_come_in(auditor, monkeypatch):
    monkeypatch.setattr("operations.web.audit.PAGE_SIZE", 2)
    agent = an_agent()
    wanted = [an_operation(agent=agent).key for _ in range(5)][::-1]
    seen, url = [], f"{LIST}?event=register"
    while url:
        answer = auditor.get(url)
        seen += [row.subject for row in answer.context["entries"]]
        an_operation(agent=agent)
        url = answer.context["page"].next_url
    assert seen == wanted


@pytest.mark.parametrize("place", ["soon", "2026-01-01~1", "2026-01-01T00:00:00+00:00~x"])
def test_a_place_that_no_link_names_is_a_bad_request(auditor, place):
    assert auditor.get(LIST, query_params={"after": place}).status_code == 400


def test_one_operations_whole_trail_is_recomputed(auditor, story):
    first, _ = story
    assert "chain whole, 4 entries" in text_of(auditor.get(f"{LIST}?operation={first.key}"))
    gone = first.audit_entries.get(seq=2)
    tamper("DELETE FROM operations_auditentry WHERE id = %(id)s", id=gone.pk)
    text = text_of(auditor.get(f"{LIST}?operation={first.key}"))
    assert "chain broken at entry 3: expected number 2, got 3" in text


def test_an_entry_that_was_edited_is_marked_where_it_stands(auditor, story):
    first, _ = story
    entry = first.audit_entries.get(event="mark")
    tamper("UPDATE operations_auditentry SET actor_id = '7' WHERE id = %(id)s", id=entry.pk)
    answer = auditor.get(LIST)
    assert [row.entry.pk for row in answer.context["entries"] if row.fault] == [entry.pk]
    assert "1 of these are not as written" in text_of(answer)
    assert "not as written</span>" in text_of(answer)


def test_a_state_and_an_event_that_nobody_knows_are_shown_as_they_are(auditor, story):
    first, _ = story
    entry = first.audit_entries.get(event="mark")
    tamper(
        "UPDATE operations_auditentry SET event = 'vanish', state_after = 'lost' WHERE id = %(id)s",
        id=entry.pk,
    )
    text = text_of(auditor.get(LIST))
    assert "vanish, which this release does not know" in text
    assert "lost" in text


def test_a_long_trail_is_left_to_the_command(auditor, story, monkeypatch):
    monkeypatch.setattr("operations.web.audit.LONGEST_TRAIL", 3)
    text = text_of(auditor.get(f"{LIST}?operation={story[0].key}"))
    assert "each of these is as it was written" in text


@pytest.mark.parametrize(
    "query", ["", "?q=order-1", "?operation=order-1", "?actor=ann&kind=agent&trail=operation"]
)
def test_the_page_takes_few_queries_whatever_the_data(
    auditor, story, query, django_assert_max_num_queries
):
    for _ in range(4):
        a_claim(an_operation())
    an_unknown_outcome()
    a_mismatch()
    with django_assert_max_num_queries(9):
        auditor.get(f"{LIST}{query}")
