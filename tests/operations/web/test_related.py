"""What an operation is linked to, what waits for it, and what only shares its reference."""

import pytest

from operations.actions.compensate_operation import compensate_operation
from operations.actions.follow_up import FollowUp
from operations.actions.supersede_operation import supersede_operation
from operations.protocol.profiles import RefusalRule
from operations.protocol.states import State
from tests.browsing import Browser, text_of
from tests.build import (
    a_console_operation,
    a_marked_operation,
    a_receipt,
    an_operation,
    move_back,
    receive,
)
from tests.dispatching import dispatch
from tests.operations.receivers.conftest import an_answer, says, script
from tests.people import an_operator, an_unknown_outcome
from tests.receiver import configure

__all__ = ["script"]

pytestmark = pytest.mark.django_db

NOT_REFUNDABLE = b'{"error":{"code":"order_not_refundable","detail":"The order is closed."}}'


@pytest.fixture
def viewer() -> Browser:
    return Browser.of("viewer")


def relations(browser, operation):
    """(key, why) by list, as the page shows them."""
    found = browser.open(operation).context["relations"]
    return {
        name: [(item.operation.key, item.why) for item in getattr(found, name)]
        for name in ("linked", "waiting", "same_reference")
        if getattr(found, name)
    }


def supersede(old, key):
    old.refresh_from_db()
    return supersede_operation(
        operation_id=old.pk,
        actor=an_operator(),
        version=old.version,
        wanted=FollowUp(key=key, payload_text='{"sku":"vanilla","quantity":3}'),
        reason="The size was wrong.",
    ).follow_up


def refused(script, settings, key, **given):
    """One that its receiver refused for ever, bound to its key."""
    configure(
        settings,
        url=script.url,
        definite_refusals=(RefusalRule(status=400, code="order_not_refundable"),),
    )
    script.act = says(an_answer("400 Bad Request", NOT_REFUNDABLE))
    operation = a_console_operation(key=key, **given)
    dispatch(operation)
    return operation


def test_a_definite_no_ends_it_and_another_key_goes_on_with_a_link(script, settings, viewer):
    """Case 6: the refused one keeps its history, and nothing asks under its key again."""
    old = refused(script, settings, "refund-1")
    assert (old.state, old.next_try_at) == (State.REFUSED, None)
    before = [entry.event for entry in old.audit_entries.order_by("seq")]
    operator = Browser.of("operator")
    for _ in range(3):
        dispatch(old)
    assert (len(script.heard), old.state) == (1, State.REFUSED)
    operator.send(
        operator.open(old),
        "supersession",
        key="refund-1b",
        payload_text='{"sku":"vanilla","quantity":3}',
        reason="The cause is repaired.",
    )
    new = old.superseded_by.get()
    assert (new.key, new.state) == ("refund-1b", State.AWAITING_APPROVAL)
    assert new.idempotency_key != old.idempotency_key
    assert relations(viewer, old) == {"linked": [("refund-1b", "replaces this one")]}
    assert relations(viewer, new) == {"linked": [("refund-1", "was replaced by this one")]}
    after = [entry.event for entry in old.audit_entries.order_by("seq")]
    assert after == [*before, "supersede"]
    old.refresh_from_db()
    assert (old.state, old.attempts.count()) == (State.REFUSED, 1)


def test_a_late_receipt_shows_what_it_holds(script, settings, viewer):
    old = refused(script, settings, "order-1")
    new = supersede(old, "order-1b")
    assert relations(viewer, old) == {"linked": [("order-1b", "replaces this one")]}
    receive(old, a_receipt(old))
    why = "replaces this one, and is held by its late receipt"
    assert relations(viewer, old) == {"waiting": [("order-1b", why)]}
    assert "Waits for this one" in text_of(viewer.open(old))
    assert relations(viewer, new) == {"linked": [("order-1", "was replaced by this one")]}


def test_what_makes_up_for_an_effect_is_linked_both_ways(viewer):
    old, _ = a_marked_operation(key="order-1")
    receive(old, a_receipt(old))
    old.refresh_from_db()
    new = compensate_operation(
        operation_id=old.pk,
        actor=an_operator(),
        version=old.version,
        wanted=FollowUp(key="return-1", payload_text='{"sku":"return","quantity":6}'),
        reason="They delivered twice.",
    ).follow_up
    assert relations(viewer, old) == {"linked": [("return-1", "makes up for this one")]}
    assert relations(viewer, new) == {"linked": [("order-1", "is made up for by this one")]}


def test_a_twin_waits_for_the_first_one_and_says_so(viewer):
    first = an_unknown_outcome(key="order-1", reference="basket-7")
    twin = an_operation(key="order-2", reference="basket-7")
    assert twin.state == State.AWAITING_APPROVAL
    held = [("order-2", "held: is it the same order once more?")]
    assert relations(viewer, first) == {"waiting": held}
    assert relations(viewer, twin) == {
        "same_reference": [("order-1", "maybe its twin: same reference and payload")]
    }


def test_what_was_asked_for_later_is_shown_and_said_not_to_be_held(viewer):
    other = '{"sku":"chocolate","quantity":1}'
    earlier = an_operation(key="order-0", reference="basket-7", payload=other)
    move_back(earlier, 1000)
    unknown = an_unknown_outcome(key="order-1", reference="basket-7")
    more = '{"sku":"mint","quantity":1}'
    later = an_operation(key="order-2", reference="basket-7", payload=more)
    an_operation(key="order-3", reference="basket-8")
    an_operation(key="order-4", reference="basket-7", environment="staging")
    assert relations(viewer, unknown) == {
        "same_reference": [
            ("order-2", "same reference, asked for later, not held"),
            ("order-0", "same reference"),
        ],
    }
    for one in (earlier, later):
        assert "waiting" not in relations(viewer, one)


def test_many_of_its_reference_do_not_push_out_what_is_linked(script, settings, viewer):
    old = refused(script, settings, "order-1", reference="basket-7")
    supersede(old, "order-1b")
    for number in range(15):
        payload = f'{{"sku":"s{number}","quantity":1}}'
        an_operation(key=f"other-{number}", reference="basket-7", payload=payload)
    assert relations(viewer, old)["linked"] == [("order-1b", "replaces this one")]


def test_without_any_the_page_says_so(viewer):
    assert "None shares its reference or is linked to it." in text_of(viewer.open(an_operation()))
