"""Under which token a report counts (rule 4)."""

import pytest

from operations.actions.end_attempt import end_attempt
from operations.actions.expire_claims import expire_claims
from operations.actions.give_back_claim import give_back_claim
from operations.actions.record_receipt import record_receipt
from operations.models import Attempt, AttemptEnd, Operation
from operations.protocol.payloads import dumps
from operations.protocol.receipts import parse_receipt
from operations.protocol.refusals import StaleClaim
from operations.protocol.states import AttemptOutcome, Channel, State, Verdict
from tests.build import a_marked_operation, a_receipt, agent_actor, move_back

pytestmark = pytest.mark.django_db


def give_back(operation: Operation, attempt: Attempt) -> None:
    assert operation.agent is not None
    give_back_claim(
        operation_id=operation.pk, actor=agent_actor(operation.agent), token=attempt.token
    )


def report_end(operation: Operation, attempt: Attempt) -> None:
    assert operation.agent is not None
    end_attempt(
        operation_id=operation.pk,
        actor=agent_actor(operation.agent),
        token=attempt.token,
        generation=attempt.generation,
        outcome=AttemptOutcome.UNKNOWN,
        detail="the line was cut",
    )


def test_a_token_given_back_after_its_report_is_not_current_any_more() -> None:
    operation, attempt = a_marked_operation()
    report_end(operation, attempt)
    give_back(operation, attempt)

    with pytest.raises(StaleClaim):
        report_end(operation, attempt)

    assert AttemptEnd.objects.filter(attempt=attempt, is_stale=True).count() == 1


def test_a_token_given_back_after_its_lease_was_swept_confirms_nothing() -> None:
    operation, attempt = a_marked_operation()
    move_back(operation, 600)
    assert expire_claims(limit=10) == 1
    give_back(operation, attempt)
    value = a_receipt(operation)

    assert operation.agent is not None
    recorded = record_receipt(
        operation_id=operation.pk,
        value=parse_receipt(value),
        channel=Channel.RESPONSE,
        raw=dumps(value).encode(),
        actor=agent_actor(operation.agent),
        token=attempt.token,
    )

    operation.refresh_from_db()
    assert (recorded.verdict, operation.state) == (Verdict.KEPT, State.SENT_UNKNOWN)
    assert isinstance(recorded.refusal, StaleClaim)
