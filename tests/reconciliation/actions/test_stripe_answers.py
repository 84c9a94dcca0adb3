"""What the console makes of Stripe's answers to its own calls."""

import json
from dataclasses import replace

import pytest

from operations.actions.dispatch_operation import Dispatched
from operations.models import Operation
from operations.protocol.refusals import InvalidPayload
from operations.protocol.states import Question, State
from tests.build import a_console_operation
from tests.dispatching import dispatch
from tests.operations.receivers.conftest import an_answer, says, script
from tests.stripe_console import a_refund, change, payment_fixture, way_fixture
from tests.stripe_server import DECLINED_LATER, stripe_server_fixture

__all__ = ["payment_fixture", "script", "stripe_server_fixture", "way_fixture"]

pytestmark = pytest.mark.django_db


def test_an_answered_refund_is_confirmed_at_once_with_what_was_not_compared(
    way, stripe_server, payment
):
    operation = a_refund(payment)
    assert dispatch(operation) is Dispatched.CALLED
    (refund,) = stripe_server.refunds(payment)
    assert (operation.state, operation.effect_id) == (State.CONFIRMED, refund["id"])
    assert operation.receipts.get().not_compared == ["/reason"]


def test_a_currency_that_is_not_the_charges_is_found_out_and_does_not_confirm(
    way, stripe_server, payment
):
    operation = a_refund(payment, currency="USD")
    dispatch(operation)
    assert operation.state == State.SENT_UNKNOWN
    (receipt,) = operation.receipts.all()
    assert [row["pointer"] for row in receipt.differences] == ["/currency"]


def test_an_answer_that_is_no_definite_refusal_leaves_it_unknown(way):
    operation = a_refund("pi_nosuch")  # localstripe gives its 404 no code
    dispatch(operation)
    assert operation.state == State.SENT_UNKNOWN


def test_a_declined_card_is_refused(way, stripe_server):
    payload = {
        "customer": stripe_server.post("customers")["id"],
        "payment_method": stripe_server.a_card(DECLINED_LATER),
        "amount": "12.50",
        "currency": "EUR",
    }
    operation = a_console_operation(
        kind="card.payment", receiver="stripe-payments", environment="staging", payload=payload
    )
    dispatch(operation)
    assert operation.state == State.REFUSED


@pytest.mark.parametrize(
    "given", [{"amount": "500.50", "currency": "JPY"}, {"amount": "5.124", "currency": "KWD"}]
)
def test_an_amount_that_stripe_can_not_take_is_refused_at_intake(way, payment, given):
    with pytest.raises(InvalidPayload) as refused:
        a_refund(payment, **given)
    assert refused.value.members["field"] == "/amount"
    assert not Operation.objects.exists()


def test_a_key_that_stripe_knows_from_another_request_is_a_question_and_no_refusal(
    way, settings, script
):
    change(settings, base_url=script.url)
    error = {"type": "idempotency_error", "message": "Keys for idempotent requests can only ..."}
    script.act = says(an_answer("400 Bad Request", json.dumps({"error": error}).encode()))
    operation = a_refund("pi_1")
    dispatch(operation)
    assert operation.state == State.SENT_UNKNOWN
    assert operation.reviews.get().question == Question.DUPLICATE_ANSWER
    assert len(script.heard) == 1


def test_a_request_that_can_not_be_built_any_more_goes_to_a_person_and_is_not_sent(
    way, settings, script
):
    change(settings, base_url=script.url)
    operation = a_refund("pi_1")
    old = settings.OPSCONSOLE.receivers[("staging", "stripe-refunds")].settings
    moved = replace(old, references={"charge": "/charge"})
    change(settings, settings=moved, profile=_claims(settings, moved))
    assert dispatch(operation) is Dispatched.STALLED
    review = operation.reviews.get()
    assert (review.question, "/charge" in review.reason) == (Question.STALLED, True)
    assert (operation.state, script.heard) == (State.READY, [])


def _claims(settings, now):
    profile = settings.OPSCONSOLE.receivers[("staging", "stripe-refunds")].profile
    return replace(profile, significant_fields=tuple(now.places.values()))
