"""The piles of the receipts page: what each one says, and which receipts are duplicates."""

import pytest

from operations.actions.set_aside_evidence import set_aside_evidence
from operations.protocol.states import Channel, Finding
from reconciliation.queries.receipts import Pile
from reconciliation.web.piles import GUIDES, WORDS, Place, place_of
from tests.browsing import Browser, text_of
from tests.build import a_marked_operation, a_receipt, receive
from tests.people import an_operator
from tests.receiver import configure

pytestmark = pytest.mark.django_db


def pile(name: str) -> list[str]:
    answer = Browser.of("viewer").get(f"/receipts/?pile={name}")
    return [row.receipt.effect_id for row in answer.context["receipts"]]


def twice(first: str = "eff-a", second: str = "eff-b", **given):
    """One operation of which the receiver tells two effects."""
    operation, _ = a_marked_operation(**given)
    receive(operation, a_receipt(operation, effect_id=first))
    receive(operation, a_receipt(operation, effect_id=second), channel=Channel.WEBHOOK)
    operation.refresh_from_db()
    return operation


@pytest.mark.parametrize("name", list(Pile))
def test_every_pile_says_what_it_is_and_what_to_do_full_or_empty(name):
    shown = text_of(Browser.of("viewer").get(f"/receipts/?pile={name}"))
    guide = GUIDES[name]
    for words in (guide.title, guide.what, guide.todo, guide.empty_title, guide.nothing):
        assert words in shown
    url, words = place_of(guide, "")
    assert (guide.place is Place.NOWHERE) == (url == "")
    assert words in shown


@pytest.mark.parametrize("name", list(Pile))
def test_the_place_of_each_pile_is_a_page_of_its_environment(name):
    url, _ = place_of(GUIDES[name], "staging")
    if url:
        assert "environment=staging" in url
        assert Browser.of("viewer").get(url).status_code == 200


def test_every_pile_has_a_word_and_a_guide():
    assert set(WORDS) == set(GUIDES) == set(Pile)


def test_two_effects_of_one_operation_are_a_duplicate_told_by_the_second():
    twice()
    assert pile("duplicate") == ["eff-b"]


def test_two_effects_that_both_prove_nothing_are_duplicates():
    operation, _ = a_marked_operation()
    for number in (1, 2):
        receive(operation, a_receipt(operation, effect_id=f"eff-{number}", payload={}))
    assert pile("duplicate") == ["eff-2", "eff-1"]


def test_one_effect_that_two_operations_name_is_a_duplicate_at_the_second():
    first, _ = a_marked_operation()
    receive(first, a_receipt(first, effect_id="eff-one"))
    second, _ = a_marked_operation()
    receive(second, a_receipt(second, effect_id="eff-one"))
    assert pile("duplicate") == ["eff-one"]


def test_the_same_effect_told_twice_or_refused_is_none():
    operation, _ = a_marked_operation()
    for channel in (Channel.LOOKUP, Channel.WEBHOOK):
        receive(operation, a_receipt(operation, effect_id="eff-a"), channel=channel)
    receive(operation, a_receipt(operation, effect_id="eff-b", status="refused"))
    staging, _ = a_marked_operation(environment="staging")
    receive(staging, a_receipt(staging, effect_id="eff-a"))
    assert pile("duplicate") == []


def test_explained_evidence_is_not_called_unexplained(settings):
    configure(settings, second_person=False)
    operation, _ = a_marked_operation()
    receive(operation, a_receipt(operation, status="pending"))
    operation.refresh_from_db()
    badge = "</svg>unexplained</span>"
    assert badge in text_of(Browser.of("viewer").get("/receipts/"))
    set_aside_evidence(
        operation_id=operation.pk,
        actor=an_operator(),
        version=operation.version,
        receipt_id=operation.receipts.get().pk,
        finding=Finding.NOT_OURS,
        reason="It is a test order of theirs.",
    )
    assert badge not in text_of(Browser.of("viewer").get("/receipts/"))
