"""Nobody is bothered by drills: lists and numbers leave them out; a link still shows them."""

import pytest

from operations.models import AuditEntry
from operations.protocol.refusals import InvalidField
from operations.registry import DRILL, DRILL_AGENT
from tests.browsing import Browser, text_of
from tests.build import a_marked_operation, a_person, a_receipt, an_agent, an_operation, receive
from tests.operations.api.caller import a_caller
from tests.opsconsole.test_metrics import numbers
from tests.people import an_unknown_outcome

pytestmark = pytest.mark.django_db

ORDER = {"environment": DRILL, "kind": "drill.order"}
APPROVED = {"environment": DRILL, "kind": "drill.approved_order"}


@pytest.fixture
def reader() -> Browser:
    return Browser.of("auditor", "approver")


@pytest.fixture
def drilled():
    """What a drill leaves: an open question, a request, a receipt that confirmed."""
    unknown = an_unknown_outcome(**ORDER)
    asked = an_operation(**APPROVED)
    confirmed, _ = a_marked_operation(**ORDER)
    receive(confirmed, a_receipt(confirmed))
    return unknown, asked, confirmed


def counts(reader, url):
    return [item.count for item in reader.get(url).context["shell"]().nav if item.count]


def test_the_top_bar_counts_none_of_it(reader, drilled):
    assert drilled[1].state == "awaiting_approval"
    assert counts(reader, "/") == []
    assert counts(reader, f"/?environment={DRILL}") == [2, 1]


def test_the_inbox_shows_none_of_it(reader, drilled):
    all_of_it, theirs = (reader.get(url).context for url in ("/", f"/?environment={DRILL}"))
    assert (all_of_it["cases"], all_of_it["summary"].count) == ([], 0)
    assert all_of_it["summary"].open_count == 0
    assert [case.operation for case in theirs["cases"]] == [drilled[0]]
    assert theirs["summary"].count == 2


@pytest.mark.parametrize(
    ("address", "name", "count"),
    [("/operations/", "operations", 3), ("/approvals/", "cards", 1), ("/receipts/", "receipts", 1)],
)
def test_lists_show_it_only_when_it_is_named(reader, drilled, address, name, count):
    assert len(reader.get(address).context[name]) == 0
    named = reader.get(f"{address}?environment={DRILL}")
    assert len(named.context[name]) == count


def test_ordinary_work_is_counted_beside_it_as_before(reader, drilled):
    mine = an_unknown_outcome()
    assert counts(reader, "/") == [1]
    [row] = reader.get("/operations/").context["operations"]
    assert row.operation.pk == mine.pk


def test_the_receivers_page_has_its_card_only_when_it_is_named(reader):
    cards = reader.get("/receivers/").context["receivers"]
    assert DRILL not in {card.environment for card in cards}
    [card] = reader.get(f"/receivers/?environment={DRILL}").context["receivers"]
    assert (card.name, card.environment) == ("sandbox", DRILL)


def test_metrics_are_those_of_everybody_elses_work(client, drilled):
    found = numbers(client)
    assert found['opsconsole_operations{state="sent_unknown"}'] == 0
    assert found['opsconsole_operations{state="confirmed"}'] == 0
    assert found['opsconsole_open_reviews{question="unknown_outcome"}'] == 0
    assert found["opsconsole_oldest_unknown_age_seconds"] == 0
    assert found["opsconsole_oldest_open_review_age_seconds"] == 0


def test_the_switch_offers_it_only_to_those_who_are_there(reader):
    def names(url):
        return [link.name for link in reader.get(url).context["shell"]().environments]

    assert DRILL not in names("/operations/")
    assert names(f"/operations/?environment={DRILL}")[-1] == DRILL


def test_no_select_offers_its_kinds_and_a_link_may_name_them(reader, drilled):
    assert "drill.order" not in text_of(reader.get("/operations/"))
    found = reader.get(f"/operations/?environment={DRILL}&kind=drill.approved_order")
    assert [row.operation.pk for row in found.context["operations"]] == [drilled[1].pk]


def test_the_audit_trail_leaves_nothing_out(reader, drilled):
    about = {row.entry.operation_id for row in reader.get("/audit/").context["entries"]}
    assert {each.pk for each in drilled} <= about
    named = reader.get(f"/audit/?environment={DRILL}&event=register").context["entries"]
    assert len(named) == 3


def test_its_pages_are_those_of_any_operation(reader, drilled):
    for operation in drilled:
        assert reader.open(operation).status_code == 200


def test_no_other_agent_gets_in(drilled):
    caller = a_caller("agent-1")
    order = {**ORDER, "payload": {"sku": "a", "quantity": 1}}
    assert caller.register(**order).is_problem(403, "not_permitted")
    assert caller.get(f"/operations?environment={DRILL}").is_problem(403, "not_permitted")
    told = AuditEntry.objects.filter(event="not_permitted").latest("seq").detail
    assert told == {"expected": "environment production or staging", "got": DRILL}


def test_a_token_for_it_is_made_for_its_own_agent_alone():
    with pytest.raises(InvalidField, match="which only drills use, got drill"):
        a_caller("agent-1", environments=(DRILL,))
    assert a_caller(DRILL_AGENT, environments=(DRILL,)).token.environments == [DRILL]


def test_an_agent_of_the_drills_sees_its_own_only():
    agent = an_agent("other", responsible=a_person())
    theirs = an_operation(agent=agent, **ORDER)
    caller = a_caller(DRILL_AGENT, environments=(DRILL,))
    assert caller.get(f"/operations/{theirs.pk}").is_problem(404, "not_found")
