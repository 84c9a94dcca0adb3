"""Asking a receiver that only people can ask: whom, how, and what a good answer contains."""

from dataclasses import replace

import pytest

from operations.protocol.states import State
from tests.browsing import Browser, text_of
from tests.build import a_marked_operation, a_receipt, an_operation, receive
from tests.people import a_manual_unknown, an_unknown_outcome

pytestmark = pytest.mark.django_db


@pytest.fixture
def viewer() -> Browser:
    return Browser.of("viewer")


def profiled(settings, **profile) -> None:
    """Another profile of the receiver `manual`."""
    receivers = dict(settings.OPSCONSOLE.receivers)
    for place, config in receivers.items():
        if config.name == "manual":
            receivers[place] = replace(config, profile=replace(config.profile, **profile))
    settings.OPSCONSOLE = replace(settings.OPSCONSOLE, receivers=receivers)


def asking(browser, operation):
    return browser.open(operation).context["asking"]


def card(browser, operation) -> str:
    """What the card says."""
    return text_of(browser.open(operation)).split('id="asking"')[1].split("</article>")[0]


def test_it_says_whom_to_ask_and_how(viewer) -> None:
    operation = a_manual_unknown(key="order-17")
    said = card(viewer, operation)
    assert "Order desk, +00 000 0000, weekdays 8 to 17" in said
    assert "Call the order desk, give the operation key" in said
    assert "order-17" in said
    assert "asking sends nothing" in said


def test_a_good_answer_names_key_fields_number_and_time_and_nobody_is_led(viewer) -> None:
    operation = a_manual_unknown()
    assert list(asking(viewer, operation).fields) == ["sku", "quantity"]
    said = card(viewer, operation)
    for words in ("as it stands there", "their own number of the effect", "with the time zone"):
        assert words in said
    assert "every field of the payload" in said
    assert "vanilla" not in said, "what was to be done must not be read out to them"


def test_significant_fields_are_the_ones_that_prove_it(viewer, settings) -> None:
    profiled(settings, significant_fields=("/sku",))
    operation = a_manual_unknown()
    assert list(asking(viewer, operation).fields) == ["sku"]
    assert "the fields that prove it" in card(viewer, operation)


def test_a_receiver_without_keys_is_asked_for_a_second_record(viewer, settings) -> None:
    operation = a_manual_unknown()
    assert "one record under this key or more" in card(viewer, operation)
    profiled(settings, deduplicates=True, dedup_window_seconds=60)
    assert "one record under this key or more" not in card(viewer, operation)


def test_links_lead_to_the_runbook_and_to_the_receivers_record(viewer, settings) -> None:
    profiled(
        settings,
        runbook="https://wiki.example/order-desk",
        link_template="https://portal.example/orders/{key}",
    )
    operation = a_manual_unknown(key="order/17")
    said = card(viewer, operation)
    assert 'href="https://wiki.example/order-desk"' in said
    assert 'href="https://portal.example/orders/order%2F17"' in said


def test_a_profile_without_contact_and_runbook_says_what_is_missing(viewer, settings) -> None:
    profiled(settings, contact="", runbook="")
    said = card(viewer, a_manual_unknown())
    assert "names no <code>contact</code>" in said
    assert "has no <code>runbook</code>" in said


def test_within_the_quarantine_nothing_there_is_told_to_prove_nothing(viewer) -> None:
    operation, _ = a_marked_operation(receiver="manual")
    assert "“we have nothing” from" in card(viewer, operation)
    assert "“we have nothing” from" not in card(viewer, a_manual_unknown())


def test_a_long_payload_names_a_bounded_number_of_fields(viewer, settings) -> None:
    kind = replace(settings.OPSCONSOLE.kinds["supplier.order"], schema={"type": "object"})
    kinds = {**settings.OPSCONSOLE.kinds, "supplier.order": kind}
    settings.OPSCONSOLE = replace(settings.OPSCONSOLE, kinds=kinds)
    payload = "{" + ",".join(f'"f{number}":1' for number in range(30)) + "}"
    operation = a_manual_unknown(payload=payload)
    assert len(asking(viewer, operation).fields) == 24
    assert "and 6 more" in card(viewer, operation)


def test_nobody_is_sent_to_ask_what_can_be_looked_up_or_is_settled_or_was_never_sent(
    viewer,
) -> None:
    assert asking(viewer, an_unknown_outcome()) is None
    assert asking(viewer, an_operation(receiver="manual")) is None
    operation = a_manual_unknown()
    receive(operation, a_receipt(operation))
    operation.refresh_from_db()
    assert operation.state == State.CONFIRMED
    assert asking(viewer, operation) is None


def test_an_open_question_about_what_is_settled_is_asked_too(viewer) -> None:
    operation = a_manual_unknown()
    receive(operation, a_receipt(operation))
    receive(operation, a_receipt(operation))
    assert asking(viewer, operation) is not None
