"""The switch of the top bar: it stays on the list that is shown, and narrows it."""

import pytest
from django.urls import reverse

from tests.browsing import Browser, text_of
from tests.build import a_marked_operation, a_receipt, a_refund, an_operation, receive
from tests.people import an_unknown_outcome

pytestmark = pytest.mark.django_db

HERE, THERE = "production", "staging"
LISTS = (
    "inbox",
    "operations:list",
    "operations:approvals",
    "operations:audit",
    "reconciliation:receipts",
    "reconciliation:receivers",
)


@pytest.fixture
def reader() -> Browser:
    return Browser.of("auditor", "approver")


@pytest.mark.parametrize("view", LISTS)
def test_the_switch_stays_on_the_list(reader, view) -> None:
    address = reverse(view)
    shell = reader.get(f"{address}?environment={THERE}").context["shell"]()
    assert [link.url for link in shell.environments] == [
        address,
        f"{address}?environment={HERE}",
        f"{address}?environment={THERE}",
    ]
    assert [link.name for link in shell.environments if link.is_current] == [THERE]


def test_the_environment_is_carried_from_list_to_list(reader) -> None:
    shell = reader.get(f"/receipts/?environment={THERE}").context["shell"]()
    assert [item.url for item in shell.nav] == [
        f"{reverse(view)}?environment={THERE}"
        for view in (
            "inbox",
            "operations:list",
            "operations:approvals",
            "reconciliation:receipts",
            "reconciliation:receivers",
            "operations:audit",
        )
    ]


def test_the_counts_of_the_top_bar_are_those_of_the_environment(reader) -> None:
    an_unknown_outcome()
    a_refund(environment=THERE)
    counts = [
        [item.count for item in reader.get(url).context["shell"]().nav if item.count]
        for url in ("/", f"/?environment={HERE}", f"/?environment={THERE}")
    ]
    assert counts == [[2, 1], [1], [1, 1]]


def test_approvals_are_narrowed_with_their_tabs(reader) -> None:
    a_refund(key="here")
    a_refund(key="there", environment=THERE)
    answer = reader.get(f"/approvals/?environment={THERE}")
    assert [card.operation.key for card in answer.context["cards"]] == ["there"]
    assert [tab.count for tab in answer.context["tabs"]] == ["1", "0", "0", "0"]
    assert all(f"environment={THERE}" in tab.url for tab in answer.context["tabs"])


def test_receipts_are_narrowed_with_their_tabs(reader) -> None:
    for key, environment in (("here", HERE), ("there", THERE)):
        operation, _ = a_marked_operation(key=key, environment=environment)
        receive(operation, a_receipt(operation))
    answer = reader.get(f"/receipts/?environment={THERE}")
    assert [row.receipt.operation_key for row in answer.context["receipts"]] == ["there"]
    tabs = answer.context["tabs"]
    assert [tab.count for tab in tabs] == ["1", *["0"] * 7, "1"]
    assert all(f"environment={THERE}" in tab.url for tab in tabs)


def test_receivers_are_narrowed(reader) -> None:
    cards = reader.get(f"/receivers/?environment={THERE}").context["receivers"]
    assert {card.environment for card in cards} == {THERE}


@pytest.mark.parametrize("address", ["/", "/approvals/", "/receipts/", "/receivers/"])
def test_an_unknown_environment_is_refused(reader, address) -> None:
    assert reader.get(f"{address}?environment=moon").status_code == 400


@pytest.mark.parametrize("address", ["/operations/", "/audit/"])
def test_a_list_that_names_its_mistakes_links_none_of_them(reader, address) -> None:
    an_operation()
    answer = reader.get(f"{address}?environment=moon")
    assert "expected one of production, staging" in text_of(answer)
    assert not [item.url for item in answer.context["shell"]().nav if "moon" in item.url]
