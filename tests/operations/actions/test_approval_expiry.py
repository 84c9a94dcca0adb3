"""An act meets an overdue request as everybody reads it, before any sweep wrote it (section 6)."""

import pytest

from operations.actions.cancel_operation import cancel_operation
from operations.actions.claim_operation import claim_operation
from operations.actions.compensate_operation import compensate_operation
from operations.actions.decide_approval import decide_approval
from operations.actions.follow_up import FollowUp
from operations.actions.mark_attempt import mark_attempt
from operations.actions.register_operation import register_operation
from operations.actions.release_operation import release_operation
from operations.actions.request_lookup import request_lookup
from operations.models import Operation
from operations.protocol.refusals import CannotCancel
from operations.protocol.states import Cause, Channel, Question, State
from tests.build import (
    a_marked_operation,
    a_receipt,
    a_refund,
    a_registration,
    agent_actor,
    move_back,
    receive,
)
from tests.people import an_approver, an_operator, look_up_nothing, the_request, the_review

pytestmark = pytest.mark.django_db

OVERDUE_SECONDS = 2 * 3600


def an_overdue_refund(**given: str) -> Operation:
    operation = a_refund("150.00", **given)
    move_back(operation, OVERDUE_SECONDS)
    return operation


def test_its_agent_withdraws_nothing_that_has_expired() -> None:
    operation = an_overdue_refund()
    assert operation.agent is not None

    with pytest.raises(CannotCancel, match="cancelled"):
        cancel_operation(
            operation_id=operation.pk,
            actor=agent_actor(operation.agent),
            version=operation.version,
            reason="no longer wanted",
        )


def test_it_is_superseded_as_next_action_says() -> None:
    operation = an_overdue_refund()
    assert operation.agent is not None

    new = register_operation(
        actor=agent_actor(operation.agent),
        registration=a_registration(supersedes=str(operation.pk)),
    ).operation

    operation.refresh_from_db()
    assert (operation.state, operation.cause) == (State.CANCELLED, Cause.EXPIRED)
    assert (new.supersedes, new.state) == (operation, State.AWAITING_APPROVAL)


def test_a_receipt_for_it_is_a_late_one() -> None:
    operation = an_overdue_refund()

    receive(operation, a_receipt(operation), channel=Channel.WEBHOOK)

    operation.refresh_from_db()
    assert operation.state == State.CANCELLED
    assert the_review(operation, Question.LATE_RECEIPT).closed_at is None


def test_asking_again_counts_only_while_somebody_is_asked() -> None:
    operation = an_overdue_refund(key="refund-1")
    assert operation.agent is not None
    asked = the_request(operation).asked_count

    register_operation(
        actor=agent_actor(operation.agent),
        registration=a_registration(
            key=operation.key, kind=operation.kind, payload=operation.payload_text
        ),
    )

    assert the_request(operation).asked_count == asked


def a_released_refund() -> Operation:
    """Sent once, released by two people, and waiting for a yes to be sent again."""
    operation = a_refund("150.00")
    assert operation.agent is not None
    actor = agent_actor(operation.agent)
    approve(operation)
    claim = claim_operation(
        operation_id=operation.pk,
        actor=actor,
        version=operation.version,
        holder="worker",
        lease_seconds=60,
    )
    mark_attempt(operation_id=operation.pk, actor=actor, token=claim.token)
    move_back(operation, 60)
    look_up_nothing(operation)
    proposed = release_operation(
        operation_id=operation.pk, actor=an_operator(), version=operation.version, reason="Gone."
    ).proposal
    assert proposed is not None
    second = an_approver()
    decide_approval(
        approval_id=proposed.pk,
        actor=second,
        is_yes=True,
        reason="Gone.",
        digest_seen=operation.payload_digest,
    )
    operation.refresh_from_db()
    assert operation.state == State.AWAITING_APPROVAL
    return operation


def approve(operation: Operation) -> None:
    decide_approval(
        approval_id=the_request(operation).pk,
        actor=an_approver(),
        is_yes=True,
        reason="Right.",
        digest_seen=operation.payload_digest,
    )
    operation.refresh_from_db()


def test_what_was_sent_is_unknown_again_and_can_be_looked_up() -> None:
    operation = a_released_refund()
    assert operation.agent is not None
    move_back(operation, OVERDUE_SECONDS)

    request_lookup(operation_id=operation.pk, actor=agent_actor(operation.agent))

    operation.refresh_from_db()
    assert operation.state == State.SENT_UNKNOWN
    assert operation.next_try_at is not None


def test_a_compensation_that_answers_a_review_explains_its_evidence() -> None:
    operation, _ = a_marked_operation()
    receive(operation, a_receipt(operation, effect_id="eff-first"))
    receive(operation, a_receipt(operation, effect_id="eff-second"))
    operation.refresh_from_db()
    review = the_review(operation, Question.DUPLICATE_EFFECT)

    compensate_operation(
        operation_id=operation.pk,
        actor=an_operator(),
        version=operation.version,
        wanted=FollowUp(key="back-1"),
        reason="It came twice.",
        review_id=review.pk,
    )

    kept = operation.receipts.get(effect_id="eff-second")
    assert kept.explanation.finding == "compensate"
