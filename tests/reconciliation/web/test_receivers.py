"""The receivers page: what each guarantees, and how its unknowns are doing."""

from datetime import timedelta

import pytest

from operations import clock
from operations.actions.halt_dispatch import halt_dispatch
from operations.protocol.profiles import Profile
from operations.protocol.states import LookupResult
from operations.registry import configuration
from reconciliation.actions.record_certification import record_certification
from reconciliation.models import LookupGate
from reconciliation.protocol.certification import Probe, row
from reconciliation.web.guarantees import guarantees
from tests.browsing import Browser, text_of
from tests.build import a_marked_operation, a_receipt, a_refund, an_operation, move_back, receive
from tests.people import an_operator, an_unknown_outcome

pytestmark = pytest.mark.django_db

PAGE = "/receivers/"


def card(browser, name="sandbox", environment="production"):
    cards = browser.get(PAGE).context["receivers"]
    return next(each for each in cards if (each.name, each.environment) == (name, environment))


@pytest.fixture
def viewer() -> Browser:
    return Browser.of("viewer")


def test_every_receiver_of_every_environment_is_there(viewer):
    places = {(each.name, each.environment) for each in viewer.get(PAGE).context["receivers"]}
    assert places == {
        ("sandbox", "production"),
        ("sandbox", "staging"),
        ("manual", "production"),
        ("manual", "staging"),
    }


def test_unknowns_are_counted_with_the_oldest(viewer):
    first = an_unknown_outcome()
    an_unknown_outcome()
    a_marked_operation(environment="staging")
    an_operation()
    found = card(viewer)
    assert (found.unknown_count, found.oldest_at) == (2, first.state_since)
    assert (
        found.unknown_url
        == "/operations/?environment=production&state=sent_unknown&receiver=sandbox"
    )
    assert card(viewer, environment="staging").unknown_count == 1
    assert card(viewer, "manual").oldest_at is None


def test_the_link_of_the_count_leads_to_those_operations(viewer):
    wanted = an_unknown_outcome()
    a_refund("1.00")
    answer = viewer.get(card(viewer).unknown_url)
    assert [row.operation.key for row in answer.context["operations"]] == [wanted.key]


def test_what_was_settled_counts_for_a_day_with_its_median(viewer):
    for seconds in (10, 30, 50):
        operation, _ = a_marked_operation()
        move_back(operation, seconds)
        receive(operation, a_receipt(operation))
    old, _ = a_marked_operation()
    receive(old, a_receipt(old))
    move_back(old, 25 * 3600)
    found = card(viewer)
    assert found.settled_count == 3
    assert found.time_to_settle in ("30 s", "31 s")


def test_lookups_are_counted_apart_by_their_answer(viewer):
    an_unknown_outcome()
    counts = {count.result: count.count for count in card(viewer).lookup_counts}
    assert counts == {
        LookupResult.FOUND: 0,
        LookupResult.NOT_FOUND: 1,
        LookupResult.COULD_NOT_ASK: 0,
    }


def test_those_with_unknowns_come_first(viewer):
    a_marked_operation(receiver="sandbox", environment="staging")
    first = viewer.get(PAGE).context["receivers"][0]
    assert (first.name, first.environment) == ("sandbox", "staging")


def test_a_halt_shows_on_those_that_it_stops(viewer):
    halt_dispatch(actor=an_operator(), reason="Twice.", receiver="manual")
    assert card(viewer, "manual").halt is not None
    assert card(viewer, "manual", "staging").halt is not None
    assert card(viewer).halt is None


def test_a_profile_that_promises_nothing_says_what_follows():
    told = {each.name: each for each in guarantees(Profile(receiver="x", connector="manual"))}
    assert not told["Deduplicates by key"].is_given
    assert "second effect" in told["Deduplicates by key"].sentence
    assert told["Can be looked up by key"].sentence == "Only people can ask it what happened."
    assert told["Receipts carry the whole payload"].is_given


def test_a_profile_that_promises_much_says_how_long():
    profile = Profile(
        receiver="x",
        connector="http",
        deduplicates=True,
        dedup_window_seconds=86_400,
        has_lookup=True,
        lookup_lag_seconds=60,
        delivery_delay_seconds=20,
        send_within_seconds=10,
        enforces_fencing=True,
        significant_fields=("/sku",),
    )
    told = {each.name: each for each in guarantees(profile)}
    assert told["Deduplicates by key"].sentence == "For 1 d after the first mark."
    assert "1 m 30 s" in told["Bounded delays"].sentence
    assert told["Refuses older claims"].is_given
    assert not told["Receipts carry the whole payload"].is_given


def test_whom_to_ask_is_on_the_card(viewer):
    text = text_of(viewer.get(PAGE))
    assert "Order desk, +00 000 0000" in text
    assert "never certified" in text


def test_it_takes_a_role(client):
    assert Browser.of().get(PAGE).status_code == 403
    assert client.get(PAGE).status_code == 302


def test_the_page_takes_few_queries_whatever_the_data(viewer, django_assert_max_num_queries):
    for _ in range(3):
        an_unknown_outcome()
        operation, _ = a_marked_operation()
        receive(operation, a_receipt(operation))
    with django_assert_max_num_queries(12):
        viewer.get(PAGE)


def certify(*rows):
    config = configuration().receivers["production", "sandbox"]
    return record_certification(config=config, seed="1", started_by="ann", rows=rows)


def test_the_last_certification_is_dated_and_its_drift_is_told(viewer):
    kept = certify(row(Probe.SAME_KEY, claimed="one effect", observed="two <b>", agrees=False))
    found = card(viewer)
    assert found.certified.at == kept.at
    words = text_of(viewer.get(PAGE))
    assert "same_key: claimed one effect, observed two &lt;b&gt;." in words
    assert card(viewer, environment="staging").certified is None


def test_an_agreeing_certification_warns_of_nothing(viewer):
    certify(row(Probe.SAME_KEY, claimed="one effect", observed="one effect", agrees=True))
    assert "drift" not in text_of(viewer.get(PAGE))


def a_gate(**given):
    LookupGate.objects.create(environment="production", receiver="sandbox", **given)


def test_an_open_circuit_says_why_lookups_stopped(viewer):
    now = clock.now()
    until = now + timedelta(seconds=30)
    a_gate(failures_in_row=5, last_error="status 500", opened_at=now, open_until=until)
    words = text_of(viewer.get(PAGE))
    assert "circuit open" in words
    assert "5 lookups in a row could not ask" in words
    assert "status 500" in words


def test_a_circuit_whose_pause_is_over_waits_for_its_probe(viewer):
    now = clock.now()
    a_gate(failures_in_row=5, opened_at=now - timedelta(minutes=2), open_until=now)
    words = text_of(viewer.get(PAGE))
    assert "circuit half open" in words
    assert "probes whether it answers again" in words


def test_a_receiver_that_asked_to_be_left_alone_says_until_when(viewer):
    a_gate(held_until=clock.now() + timedelta(minutes=2))
    words = text_of(viewer.get(PAGE))
    assert "It asked to be left alone until" in words
    assert "circuit" not in words
