"""The kill-after-commit story through Stripe: a real worker, a real server that ignores keys."""

import json

import pytest

from operations.actions.dispatch_operation import Dispatched
from operations.actions.release_operation import release_operation
from operations.actions.second_proposal import second_proposal
from operations.models import Operation
from operations.protocol.refusals import ChoiceClosed
from operations.protocol.states import Grade, LookupResult, Question, State
from tests.build import move_back
from tests.dispatching import dispatch
from tests.operations.receivers.conftest import an_answer, says, script
from tests.operations.receivers.stripe_rig import a_refund as stripes_refund
from tests.people import an_approver, an_operator
from tests.receiver import eventually
from tests.reconciliation.actions.worker_process import let_a_worker_die, start_worker
from tests.stripe_console import a_refund, change, look, payment_fixture, way_fixture
from tests.stripe_server import stripe_server_fixture

__all__ = ["payment_fixture", "script", "stripe_server_fixture", "way_fixture"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.race]


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
    eventually(lambda: done() or worker.poll() is not None, within_seconds=60)
    worker.kill()
    _, words = worker.communicate(timeout=30)
    assert done(), words.decode()
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


def test_killed_after_stripes_answer_and_before_its_record_it_is_found_and_stays_one(
    way, stripe_server, payment, settings
):
    operation = a_refund(payment)
    let_a_worker_die(stripe_server, "after_stripes_response", operation, settings)
    (refund,) = stripe_server.refunds(payment)
    assert operation.state == State.SENT_UNKNOWN
    assert not operation.receipts.exists()
    assert dispatch(operation) is Dispatched.NOT_DUE

    assert look(operation) == State.CONFIRMED

    assert operation.effect_id == refund["id"]
    assert stripe_server.refunds(payment) == [refund]


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


def test_when_stripe_may_have_forgotten_the_key_release_is_closed(way, stripe_server, payment):
    """Within the documented margin of 24 hours, whatever a lookup says."""
    operation = a_refund(payment)
    way.cut()
    dispatch(operation)
    way.mend()
    move_back(operation, 23 * 3600)
    look(operation)
    assert operation.lookups.get().result == LookupResult.NOT_FOUND
    assert closed_code(operation) == "window_over"
    assert stripe_server.refunds(payment) == []


def test_two_refunds_under_one_key_are_both_seen(way, stripe_server, payment):
    operation = a_refund(payment)
    way.cut()
    dispatch(operation)
    way.mend()
    metadata = {
        "metadata[opsconsole_key]": operation.key,
        "metadata[opsconsole_environment]": "staging",
    }
    for _ in range(2):
        stripe_server.post("refunds", payment_intent=payment, amount=1250, **metadata)

    assert look(operation) == State.CONFIRMED

    found = {refund["id"] for refund in stripe_server.refunds(payment)}
    assert {receipt.effect_id for receipt in operation.receipts.all()} == found
    assert operation.effect_id in found
    review = operation.reviews.get(closed_at=None)
    assert review.question == Question.DUPLICATE_EFFECT


def test_a_refund_that_is_pending_settles_nothing_and_closes_a_second_send(
    way, payment, settings, script
):
    operation = a_refund(payment)
    way.cut()
    dispatch(operation)
    owner = {"opsconsole_key": operation.key, "opsconsole_environment": "staging"}
    refund = stripes_refund(status="pending", metadata=owner, payment_intent=payment)
    page = {"object": "list", "data": [refund], "has_more": False}
    script.act = says(an_answer("200 OK", json.dumps(page).encode()))
    change(settings, base_url=script.url)

    assert look(operation) == State.SENT_UNKNOWN

    assert closed_code(operation) == "unexplained_evidence"
    assert dispatch(operation) is Dispatched.NOT_DUE


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
