"""A receiver's no does not bury a word of an effect that was kept before it."""

import pytest

from operations.actions.give_back_claim import give_back_claim
from operations.actions.record_receipt import record_receipt
from operations.actions.record_refusal import record_refusal
from operations.actions.settle_review import settle_review
from operations.models import Attempt, Operation
from operations.protocol.payloads import dumps
from operations.protocol.receipts import parse_receipt
from operations.protocol.states import Channel, Finding, Question, State
from operations.queries.facts import facts_of
from tests.build import a_marked_operation, a_receipt, agent_actor, receive
from tests.people import an_operator, the_review

pytestmark = pytest.mark.django_db


def report_no(operation: Operation, attempt: Attempt) -> None:
    assert operation.agent is not None
    record_refusal(
        operation_id=operation.pk,
        actor=agent_actor(operation.agent),
        token=attempt.token,
        status=422,
        code="order_refused",
        raw=b"no",
    )
    operation.refresh_from_db()


def report_after_giving_back(operation: Operation, attempt: Attempt) -> None:
    assert operation.agent is not None
    actor = agent_actor(operation.agent)
    give_back_claim(operation_id=operation.pk, actor=actor, token=attempt.token)
    value = a_receipt(operation)
    record_receipt(
        operation_id=operation.pk,
        value=parse_receipt(value),
        channel=Channel.RESPONSE,
        raw=dumps(value).encode(),
        actor=actor,
        token=attempt.token,
    )


def say_not_ours(operation: Operation) -> None:
    operation.refresh_from_db()
    settle_review(
        operation_id=operation.pk,
        actor=an_operator(),
        version=operation.version,
        review_id=the_review(operation, Question.LATE_RECEIPT).pk,
        finding=Finding.NOT_OURS,
        reason="They looked it up: there is none.",
    )


def questions(operation: Operation) -> list[str]:
    return sorted(review.question for review in operation.reviews.filter(closed_at=None))


def test_a_reported_refusal_puts_the_evidence_before_it_before_a_person() -> None:
    operation, attempt = a_marked_operation()
    receive(operation, a_receipt(operation, status="pending"))
    receive(operation, a_receipt(operation, status="pending", effect_id="the-newest"))

    report_no(operation, attempt)

    review = the_review(operation, Question.LATE_RECEIPT)
    assert operation.state == State.REFUSED
    assert (review.receipt and review.receipt.effect_id) == "the-newest"
    assert "before the receiver refused" in review.reason


def test_so_does_a_refusal_in_the_receivers_own_record() -> None:
    operation, _ = a_marked_operation()
    receive(operation, a_receipt(operation, status="pending"))

    receive(operation, a_receipt(operation, status="refused", effect_id=None))

    operation.refresh_from_db()
    assert (operation.state, questions(operation)) == (State.REFUSED, [Question.LATE_RECEIPT])


def test_what_a_review_asks_about_already_is_not_asked_twice() -> None:
    operation, attempt = a_marked_operation()
    receive(operation, a_receipt(operation, payload={"sku": "other"}))

    report_no(operation, attempt)

    assert (operation.state, questions(operation)) == (State.REFUSED, [Question.RECEIPT_MISMATCH])


def test_a_refusal_with_nothing_kept_asks_nothing() -> None:
    operation, attempt = a_marked_operation()
    report_no(operation, attempt)
    assert (operation.state, questions(operation)) == (State.REFUSED, [])


@pytest.mark.parametrize("comes", ["before the no", "after it"])
def test_its_answer_explains_a_report_under_an_older_token_too(comes: str) -> None:
    operation, attempt = a_marked_operation()
    no = a_receipt(operation, status="refused", effect_id=None)
    if comes == "after it":
        receive(operation, no)
    report_after_giving_back(operation, attempt)
    if comes == "before the no":
        receive(operation, no)

    say_not_ours(operation)

    operation.refresh_from_db()
    assert (operation.state, questions(operation)) == (State.REFUSED, [])
    assert not facts_of(operation).unexplained
