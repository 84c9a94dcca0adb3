"""The list of operations: search, filters, pages, and who may read it."""

import pytest
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from operations.models import Operation
from tests.browsing import Browser, text_of
from tests.build import a_marked_operation, a_receipt, a_refund, an_agent, an_operation, receive
from tests.people import a_mismatch, an_unknown_outcome

pytestmark = pytest.mark.django_db

LIST = "/operations/"


def keys(browser: Browser, query: str = "") -> list[str]:
    """The keys that one page of the list shows, in order."""
    return [row.operation.key for row in browser.get(f"{LIST}{query}").context["operations"]]


def test_anonymous_people_are_sent_to_the_sign_in(client) -> None:
    answer = client.get(f"{LIST}?state=ready")
    assert answer.status_code == 302
    assert answer["Location"] == "/accounts/login/?next=/operations/%3Fstate%3Dready"


def test_an_expired_sign_in_is_told_to_htmx_as_a_redirect_of_the_whole_page(client) -> None:
    answer = client.get(LIST, headers={"HX-Request": "true"})
    assert answer["HX-Redirect"].startswith("/accounts/login/")
    assert answer.content == b""


def test_a_person_without_a_role_sees_nothing() -> None:
    assert Browser.of().get(LIST).status_code == 403


@pytest.mark.parametrize("role", ["viewer", "operator", "approver", "auditor", "admin"])
def test_every_role_reads_it(role: str) -> None:
    an_operation(key="order-1")
    assert keys(Browser.of(role)) == ["order-1"]


def test_the_region_is_part_of_the_page_word_for_word() -> None:
    an_operation()
    viewer = Browser.of("viewer")
    page, region = viewer.get(LIST), viewer.part(LIST)
    assert "<html" in text_of(page)
    assert "<html" not in text_of(region)
    assert text_of(region).strip().startswith('<section class="card card--flush" id="results"')
    assert page["Vary"] == region["Vary"]
    assert "HX-Request" in page["Vary"]


def test_what_is_restored_from_history_is_a_whole_page() -> None:
    headers = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    assert "<html" in text_of(Browser.of("viewer").get(LIST, headers=headers))


def test_pages_neither_skip_nor_repeat_while_operations_come_in(monkeypatch) -> None:
    monkeypatch.setattr("operations.web.operation_list.PAGE_SIZE", 2)
    agent, viewer = an_agent(), Browser.of("viewer")
    for number in range(5):
        an_operation(agent=agent, key=f"order-{number}")
    seen, url = [], LIST
    while url:
        answer = viewer.get(url)
        seen += [row.operation.key for row in answer.context["operations"]]
        an_operation(agent=agent, key=f"new-{len(seen)}")
        url = answer.context["page"].next_url
    assert seen == ["order-4", "order-3", "order-2", "order-1", "order-0"]


def test_a_page_keeps_its_filter() -> None:
    answer = Browser.of("viewer").get(f"{LIST}?state=ready&q=order")
    assert answer.context["filter"].url(after="x") == f"{LIST}?q=order&state=ready&after=x"


def test_a_place_that_no_link_names_is_a_bad_request() -> None:
    for place in ("soon", "2026-01-01~x", "2026-01-01T00:00:00~1", "~"):
        assert Browser.of("viewer").get(LIST, query_params={"after": place}).status_code == 400


@pytest.mark.parametrize(
    "search",
    [
        "order-77",
        "ORDER-7",
        "rye-malt",
        "PO-9",
        "eff-found",
        "quantity",
        "key:order-7",
        "state:confirmed",
        "receiver:sandbox kind:supplier.order env:production",
        "payload.sku:rye-malt",
        "payload.quantity:12",
        "queue:running order",
    ],
)
def test_one_box_finds_by_text_and_by_qualifier(search: str) -> None:
    operation, _ = a_marked_operation(
        key="order-77", reference="PO-9", payload='{"sku":"rye-malt","quantity":12}'
    )
    receive(operation, a_receipt(operation, effect_id="eff-found"))
    a_refund("12.00", key="other", environment="staging")
    assert keys(Browser.of("viewer"), f"?q={search}") == ["order-77"]


def test_the_box_finds_by_the_whole_id() -> None:
    wanted, _ = an_operation(), an_operation()
    assert keys(Browser.of("viewer"), f"?q={wanted.pk}") == [wanted.key]


@pytest.mark.parametrize("search", ["%", "_", "\\", "'", "payload.sku:x", "a\x00b", "key:%", '"'])
def test_what_the_database_might_read_otherwise_is_only_text(search: str) -> None:
    an_operation(key="order-1")
    answer = Browser.of("viewer").get(LIST, query_params={"q": search})
    assert answer.status_code == 200
    assert [row.operation.key for row in answer.context["operations"]] in ([], ["order-1"])
    assert search == '"' or not answer.context["operations"]


@pytest.mark.parametrize("query", ["?state=lost", "?q=state:lost", "?receiver=x", "?queue=x"])
def test_a_word_that_is_not_known_is_said_with_the_known_ones(query: str) -> None:
    an_operation()
    answer = Browser.of("viewer").get(f"{LIST}{query}")
    assert answer.context["operations"] == []
    assert "expected one of" in text_of(answer)


def test_filters_that_contradict_each_other_find_nothing() -> None:
    an_operation()
    assert keys(Browser.of("viewer"), "?state=ready&q=state:confirmed") == []


def test_a_row_counts_requests_and_effects_apart() -> None:
    operation, _ = a_mismatch()
    receive(operation, a_receipt(operation, effect_id="eff-2", payload={"sku": "x", "quantity": 1}))
    row = Browser.of("viewer").get(LIST).context["operations"][0]
    assert (row.request_count, row.effect_count, row.has_more_effects) == (1, 2, True)


def test_text_of_a_receiver_stays_text() -> None:
    an_operation(key="<script>x</script>", reference="<b>")
    assert "<script>x" not in text_of(Browser.of("viewer").get(f"{LIST}?q=<script>"))


def test_the_list_takes_few_queries_whatever_the_data(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    agent = an_agent()
    for _ in range(6):
        an_operation(agent=agent)
        a_refund(agent=agent)
    an_unknown_outcome()
    a_mismatch()
    viewer = Browser.of("viewer")
    with django_assert_max_num_queries(9):
        answer = viewer.get(f"{LIST}?q=o")
    assert len(answer.context["operations"]) == Operation.objects.count() == 14
    assert reverse("operations:list") == LIST
