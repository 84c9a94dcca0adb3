"""The kill-after-commit story through Stripe: a real worker, a real server that ignores keys."""

from collections.abc import Iterator

import pytest

from operations.actions.dispatch_operation import Dispatched, dispatch_operation
from operations.actions.release_operation import release_operation
from operations.actions.second_proposal import second_proposal
from operations.models import Operation
from operations.protocol.refusals import ChoiceClosed, InvalidPayload
from operations.protocol.states import Grade, LookupResult, Question, State
from opsconsole.config import load_configuration
from reconciliation.actions.reconcile_operation import reconcile_operation
from tests.build import a_console_operation, move_back
from tests.campaigns.harness.proxy import Proxy
from tests.people import an_approver, an_operator
from tests.receiver import eventually
from tests.reconciliation.actions.worker_process import end, start_worker
from tests.stripe_server import (
    DECLINED_LATER,
    LIVE_KEY,
    TEST_KEY,
    documented,
    stripe_server_fixture,
)

__all__ = ["stripe_server_fixture"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.race]

# Past the lease, and past the documented send deadline, delivery delay and lag.
LATER_SECONDS = 200
KEYS = {"STRIPE_LIVE_KEY": LIVE_KEY, "STRIPE_TEST_KEY": TEST_KEY}


@pytest.fixture
def way(stripe_server, settings, monkeypatch, tmp_path) -> Iterator[Proxy]:
    """The only way to Stripe, in the documented configuration."""
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    with Proxy(("127.0.0.1", stripe_server.port)) as proxy:
        text = documented()
        for receiver in ("stripe-refunds", "stripe-payments"):
            place = f"[receivers.{receiver}.environments.staging]\n"
            assert place in text
            text = text.replace(place, f'{place}base_url = "http://127.0.0.1:{proxy.port}"\n')
        path = tmp_path / "stripe.toml"
        path.write_text(text)
        settings.OPSCONSOLE = load_configuration(path)
        monkeypatch.setenv("OPSCONSOLE_CONFIG", str(path))
        yield proxy


@pytest.fixture
def payment(stripe_server) -> str:
    return stripe_server.a_payment(10_000, "eur")["id"]


def a_refund(payment: str, **given: str) -> Operation:
    fields = {"payment_intent": payment, "amount": "12.50", "currency": "EUR", **given}
    payload = {**fields, "reason": "damaged"}
    return a_console_operation(
        kind="card.refund", receiver="stripe-refunds", environment="staging", payload=payload
    )


def dispatch(operation: Operation) -> Dispatched:
    outcome = dispatch_operation(operation_id=operation.pk, holder="next worker")
    operation.refresh_from_db()
    return outcome


def look(operation: Operation) -> State:
    move_back(operation, LATER_SECONDS)
    reconcile_operation(operation_id=operation.pk, holder="next worker")
    operation.refresh_from_db()
    return State(operation.state)


def release(operation: Operation) -> None:
    proposed = release_operation(
        operation_id=operation.pk,
        actor=an_operator(),
        version=operation.version,
        reason="Stripe has no refund of it.",
    )
    second_proposal(
        approval_id=proposed.proposal.pk, actor=an_approver(), is_yes=True, reason="Seen it too."
    )
    operation.refresh_from_db()


def closed_code(operation: Operation) -> str:
    with pytest.raises(ChoiceClosed) as refused:
        release(operation)
    return refused.value.members["closed_code"]


def kill_when(done, stripe_server, operation: Operation, settings) -> None:
    """Start a worker that sends it, and kill the worker once `done`."""
    worker = start_worker(stripe_server, "sending", operation, settings)
    try:
        assert eventually(done, within_seconds=60)
    finally:
        end(worker)
    operation.refresh_from_db()
    assert operation.state == State.SENT_UNKNOWN


def test_killed_after_stripe_commits_the_refund_is_found_and_stays_one(
    way, stripe_server, payment, settings
):
    operation = a_refund(payment)
    held = way.hold(b"POST /v1/refunds", "answers")
    kill_when(lambda: stripe_server.refunds(payment), stripe_server, operation, settings)
    held.go_on()
    assert dispatch(operation) is Dispatched.NOT_DUE
    assert closed_code(operation) == "quarantine"

    assert look(operation) == State.CONFIRMED

    (refund,) = stripe_server.refunds(payment)
    assert (operation.effect_id, operation.grade) == (refund["id"], Grade.RECEIPT)
    assert operation.lookups.get().result == LookupResult.FOUND
    searched = f"GET /v1/refunds?payment_intent={payment}&limit=100 ".encode()
    assert way.heard[-1].startswith(searched)
    assert closed_code(operation) == "not_sent_unknown"
    assert dispatch(operation) is Dispatched.NOT_DUE
    assert len(stripe_server.refunds(payment)) == 1


def test_killed_before_stripe_hears_of_it_two_people_release_it_and_it_is_made_once(
    way, stripe_server, payment, settings
):
    operation = a_refund(payment)
    held = way.hold(b"POST /v1/refunds", "requests")
    kill_when(held.has_begun.is_set, stripe_server, operation, settings)
    way.cut()
    way.mend()
    assert look(operation) == State.SENT_UNKNOWN
    assert operation.lookups.get().result == LookupResult.NOT_FOUND
    assert stripe_server.refunds(payment) == []

    release(operation)
    assert dispatch(operation) is Dispatched.CALLED

    (refund,) = stripe_server.refunds(payment)
    assert (operation.state, operation.effect_id) == (State.CONFIRMED, refund["id"])


def test_a_refund_that_differs_is_a_mismatch_and_closes_a_second_send(
    way, stripe_server, payment, settings
):
    operation = a_refund(payment)
    way.cut()
    assert dispatch(operation) is Dispatched.CALLED
    way.mend()
    metadata = {
        "metadata[opsconsole_key]": operation.key,
        "metadata[opsconsole_environment]": "staging",
    }
    stripe_server.post("refunds", payment_intent=payment, amount=1251, **metadata)

    assert look(operation) == State.SENT_UNKNOWN

    (receipt,) = operation.receipts.all()
    assert [row["pointer"] for row in receipt.differences] == ["/amount"]
    assert Question.RECEIPT_MISMATCH in [review.question for review in operation.reviews.all()]
    assert closed_code(operation) == "unexplained_evidence"
    assert len(stripe_server.refunds(payment)) == 1


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
