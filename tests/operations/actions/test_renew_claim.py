"""Renewing a claim: more time to send, never more time to keep a lookup away."""

import pytest

from operations.actions.renew_claim import renew_claim
from operations.models import Attempt, Operation
from operations.protocol.refusals import StaleClaim
from reconciliation.actions.reconcile_operation import Reconciled, reconcile_operation
from tests.build import a_claim, a_marked_operation, agent_actor, an_operation, move_back

pytestmark = pytest.mark.django_db(transaction=True)

# The sandbox's send deadline is 8 s after the mark; the claim of `a_claim` lasts 60 s.
OVER_SECONDS = 9


def renewed(operation: Operation, token: int) -> Operation:
    """The operation after its owner has renewed the claim."""
    assert operation.agent is not None
    renew_claim(operation_id=operation.pk, actor=agent_actor(operation.agent), token=token)
    operation.refresh_from_db()
    return operation


def marked_and_over() -> tuple[Operation, Attempt]:
    """One whose send deadline is over while its claim still lives."""
    operation, attempt = a_marked_operation()
    move_back(operation, OVER_SECONDS)
    return operation, attempt


def test_a_claim_is_renewed_before_its_mark():
    operation = an_operation()
    claim = a_claim(operation)

    assert renewed(operation, claim.token).claim_expires_at > claim.expires_at


def test_a_claim_is_renewed_while_its_call_may_still_leave():
    operation, attempt = a_marked_operation()
    before = operation.claim_expires_at

    assert renewed(operation, attempt.token).claim_expires_at > before


def test_a_claim_is_not_renewed_once_its_send_deadline_is_over():
    """A sender that hangs and only keeps its heart beating would keep every lookup away."""
    operation, attempt = marked_and_over()

    with pytest.raises(StaleClaim) as refused:
        renewed(operation, attempt.token)

    assert "send deadline" in refused.value.detail


def test_a_lookup_follows_when_the_lease_of_such_a_sender_is_over():
    operation, attempt = marked_and_over()
    move_back(operation, 45)
    with pytest.raises(StaleClaim):
        renewed(operation, attempt.token)
    move_back(operation, 10)

    assert reconcile_operation(operation_id=operation.pk, holder="test") == Reconciled.LOOKED_UP
