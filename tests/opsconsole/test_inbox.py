"""The inbox: what needs a person, oldest first, counted, aged and summed."""

from decimal import Decimal

import pytest
from django.utils.html import escape
from pytest_django import DjangoAssertNumQueries

from operations.actions.take_case import take_case
from operations.protocol.states import Question
from tests.browsing import Browser, text_of
from tests.build import (
    a_marked_operation,
    a_receipt,
    a_refund,
    an_agent,
    an_operation,
    move_back,
    receive,
)
from tests.people import a_mismatch, an_operator, an_unknown_outcome, the_review, the_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def viewer() -> Browser:
    return Browser.of("viewer")


def cases(browser: Browser, url: str = "/") -> list[str]:
    return [case.operation.key for case in browser.get(url).context["cases"]]


def test_nothing_to_do_says_so(viewer) -> None:
    an_operation()
    assert "Nothing needs a person" in text_of(viewer.get("/"))


def test_cases_are_shown_oldest_first(viewer) -> None:
    for key, age in (("young", 60), ("old", 9000), ("middle", 600)):
        move_back(an_unknown_outcome(key=key), age)
    assert cases(viewer) == ["old", "middle", "young"]


def test_each_question_has_its_count_and_oldest_age(viewer) -> None:
    old = an_unknown_outcome()
    move_back(old, 7200)
    an_unknown_outcome()
    a_mismatch()
    a_refund()
    summary = viewer.get("/").context["summary"]
    assert {cell.question: cell.count for cell in summary.cells if cell.count} == {
        "unknown_outcome": 2,
        "receipt_mismatch": 1,
        "approval": 1,
    }
    assert summary.count == 4
    assert summary.oldest_at == the_review(old, Question.UNKNOWN_OUTCOME).opened_at
    unknown = summary.cells[0]
    assert [bar.count for bar in unknown.bars] == [1, 0, 1, 0, 0, 0]


def test_unknowns_are_counted_aged_and_linked_with_the_oldest_first(viewer) -> None:
    """Case 37: how many there are, and for how long, is on the first page."""
    for key, age in (("a minute", 60), ("two hours", 7200), ("three days", 3 * 86_400)):
        move_back(an_unknown_outcome(key=key), age)
    page = viewer.get("/")
    unknown = page.context["summary"].cells[0]
    assert (unknown.question, unknown.count) == ("unknown_outcome", 3)
    assert "3 d" in text_of(page)
    assert cases(viewer, unknown.url) == ["three days", "two hours", "a minute"]
    an_operation()
    a_mismatch()
    assert len(cases(viewer, unknown.url)) == 3
    assert f'href="{escape(unknown.url)}"' in text_of(page)


def test_money_at_risk_is_summed_by_currency_and_counted_once(viewer) -> None:
    payload = '{"order":"A-1","amount":"%s","currency":"%s","reason":"damaged"}'
    an_operation(kind="payment.refund", payload=payload % ("900", "JPY"))  # waits for approval
    for amount in ("12.50", "7.25"):
        operation, _ = a_marked_operation(kind="payment.refund", payload=payload % (amount, "EUR"))
        receive(operation, a_receipt(operation, payload={"order": "B"}))
    receive(operation, a_receipt(operation))
    receive(operation, a_receipt(operation))
    assert operation.reviews.filter(closed_at=None).count() == 2
    summary = viewer.get("/").context["summary"]
    assert [(s.amount, s.currency) for s in summary.sums] == [
        (Decimal("19.75"), "EUR"),
        (Decimal("900"), "JPY"),
    ]


def test_an_overdue_request_for_approval_waits_no_more(viewer) -> None:
    move_back(a_refund(), 4000)
    assert viewer.get("/").context["summary"].count == 0


def test_filters_narrow_the_cases_and_stay_in_the_address(viewer) -> None:
    an_unknown_outcome(key="here")
    an_unknown_outcome(key="there", environment="staging")
    a_mismatch(key="other")
    assert cases(viewer, "/?question=unknown_outcome&environment=staging") == ["there"]
    answer = viewer.get("/?question=unknown_outcome&environment=staging")
    assert answer.context["filter"].mine_url == (
        "/?environment=staging&question=unknown_outcome&whose=mine"
    )


def test_mine_are_the_cases_that_i_hold() -> None:
    me = an_operator()
    mine, _ = an_unknown_outcome(key="mine"), an_unknown_outcome(key="free")
    take_case(operation_id=mine.pk, actor=me, version=mine.version)
    browser = Browser(the_user(me))
    assert cases(browser, "/?whose=mine") == ["mine"]
    move_back(mine, 3600)
    assert cases(browser, "/?whose=mine") == []


def test_a_choice_that_waits_for_a_second_person_is_marked() -> None:
    operator = Browser.of("operator")
    operation = an_unknown_outcome()
    operator.send(operator.open(operation), "release", reason="never arrived")
    assert "needs a second person" in text_of(operator.get("/"))


@pytest.mark.parametrize("query", ["?question=why", "?environment=moon", "?after=soon"])
def test_what_is_not_known_is_a_bad_request(viewer, query: str) -> None:
    assert viewer.get(f"/{query}").status_code == 400


def test_pages_neither_skip_nor_repeat(viewer, monkeypatch) -> None:
    monkeypatch.setattr("opsconsole.inbox.PAGE_SIZE", 2)
    agent = an_agent()
    keys = [an_unknown_outcome(agent=agent, key=f"k-{n}").key for n in range(5)]
    seen, url = [], "/"
    while url:
        answer = viewer.get(url)
        seen += [case.operation.key for case in answer.context["cases"]]
        url = answer.context["page"].next_url
    assert seen == keys


def test_the_region_holds_counts_and_cases_and_no_form(viewer) -> None:
    an_unknown_outcome()
    region = text_of(viewer.part("/"))
    assert region.strip().startswith('<div class="stack" id="waiting"')
    assert "<form" not in region
    assert 'hx-trigger="every 5s"' in region


def test_the_bar_counts_what_waits_for_everybody(viewer) -> None:
    an_unknown_outcome()
    a_refund()
    shell = viewer.get("/").context["shell"]()
    assert {item.name: item.count for item in shell.nav if item.count} == {
        "Inbox": 2,
        "Approvals": 1,
    }


def test_the_inbox_takes_few_queries_whatever_the_data(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    agent = an_agent()
    for _ in range(4):
        an_unknown_outcome(agent=agent)
        a_mismatch(agent=agent)
        a_refund(agent=agent)
    viewer = Browser.of("viewer")
    with django_assert_max_num_queries(10):
        answer = viewer.get("/")
    assert len(answer.context["cases"]) == 8
