"""The receipts page: piles, pages, and who said what."""

import pytest

from operations import clock
from operations.actions.keep_receipt import keep_unmatched_receipt
from operations.actions.record_receipt import record_receipt
from operations.protocol.payloads import dumps
from operations.protocol.receipts import parse_receipt
from operations.protocol.states import Channel, Grade, Verdict
from tests.browsing import Browser, text_of
from tests.build import a_marked_operation, a_receipt, agent_actor, an_agent, receive
from tests.people import a_mismatch, an_unknown_outcome

pytestmark = pytest.mark.django_db

LIST = "/receipts/"


def rows(browser, query=""):
    return browser.get(f"{LIST}{query}").context["receipts"]


@pytest.fixture
def viewer() -> Browser:
    return Browser.of("viewer")


@pytest.fixture
def piles():
    """One that confirms, one that differs."""
    confirmed, _ = a_marked_operation(key="order-1")
    receive(confirmed, a_receipt(confirmed))
    mismatched, _ = a_mismatch(key="order-2")
    return confirmed, mismatched


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("", ["order-2", "order-1"]),
        ("?pile=confirmed", ["order-1"]),
        ("?pile=mismatch", ["order-2"]),
        ("?pile=unexplained", ["order-2"]),
        ("?pile=late", []),
        ("?pile=unmatched", []),
    ],
)
def test_a_pile_holds_what_it_says(viewer, piles, query, wanted):
    assert [row.receipt.operation_key for row in rows(viewer, query)] == wanted


def test_tabs_count_their_piles(viewer, piles):
    tabs = {tab.word: tab.count for tab in viewer.get(LIST).context["tabs"]}
    assert tabs == {
        "All": "2",
        "To explain": "1",
        "No operation": "0",
        "Mismatch": "1",
        "Late": "0",
        "Duplicates": "0",
        "No proof": "0",
        "Kept": "0",
        "Confirming": "1",
    }


def test_a_row_leads_to_the_operation_and_counts_its_differences(viewer, piles):
    _, mismatched = piles
    row = rows(viewer, "?pile=mismatch")[0]
    assert (row.operation, row.receipt.verdict) == (mismatched, Verdict.MISMATCH)
    text = text_of(viewer.get(f"{LIST}?pile=mismatch"))
    assert f'href="/operations/{mismatched.pk}/#receipts"' in text
    assert f'href="/receipts/{row.receipt.pk}/"' in text
    assert "unexplained" in text


def test_a_worker_s_word_is_not_the_receiver_s(viewer):
    operation, attempt = a_marked_operation(agent=an_agent("ann"))
    value = a_receipt(operation)
    record_receipt(
        operation_id=operation.pk,
        value=parse_receipt(value),
        channel=Channel.RESPONSE,
        raw=dumps(value).encode(),
        actor=agent_actor(operation.agent),
        token=attempt.token,
    )
    row = rows(viewer)[0]
    assert (row.voice, row.source) == (Grade.RECEIPT_REPORTED, "ann")
    assert "confirms, reported" in text_of(viewer.get(LIST))


def test_a_receipt_for_no_operation_says_so(viewer):
    value = {
        "operation_id": "<b>order-404</b>",
        "payload": {},
        "status": "confirmed",
        "effect_id": "eff-1",
    }
    keep_unmatched_receipt(
        parse_receipt(value),
        environment="production",
        receiver="sandbox",
        channel=Channel.WEBHOOK,
        raw=dumps(value).encode(),
        at=clock.now(),
    )
    answer = viewer.get(f"{LIST}?pile=unmatched")
    assert [row.operation for row in answer.context["receipts"]] == [None]
    assert "belongs to no operation" in text_of(answer)
    assert "<b>order-404" not in text_of(answer)


def test_the_region_is_part_of_the_page(viewer, piles):
    page, region = viewer.get(LIST), viewer.part(LIST)
    assert "<html" not in text_of(region)
    assert text_of(region).strip() in text_of(page)


def test_pages_neither_skip_nor_repeat(viewer, monkeypatch):
    monkeypatch.setattr("reconciliation.web.receipts.PAGE_SIZE", 2)
    agent = an_agent()
    wanted = []
    for number in range(5):
        operation, _ = a_marked_operation(agent=agent, key=f"order-{number}")
        receive(operation, a_receipt(operation))
        wanted.insert(0, operation.key)
    seen, url = [], LIST
    while url:
        answer = viewer.get(url)
        seen += [row.receipt.operation_key for row in answer.context["receipts"]]
        url = answer.context["page"].next_url
    assert seen == wanted


@pytest.mark.parametrize("query", ["?pile=lost", "?after=soon"])
def test_what_no_link_names_is_a_bad_request(viewer, query):
    assert viewer.get(f"{LIST}{query}").status_code == 400


def test_it_takes_a_role(client):
    assert Browser.of().get(LIST).status_code == 403
    assert client.get(LIST).status_code == 302


@pytest.mark.parametrize("query", ["", "?pile=unexplained"])
def test_the_list_takes_few_queries_whatever_the_data(
    viewer, piles, query, django_assert_max_num_queries
):
    for _ in range(3):
        a_mismatch()
        an_unknown_outcome()
    with django_assert_max_num_queries(9):
        viewer.get(f"{LIST}{query}")
