"""A token is its holder's own: nobody reports, renews or gives back under another's (rule 4)."""

import pytest

from operations.actions.claim_for_dispatch import claim_for_dispatch
from operations.actions.end_attempt import end_attempt
from operations.actions.give_back_claim import give_back_claim
from operations.actions.mark_attempt import mark_attempt
from operations.actions.record_receipt import record_receipt
from operations.actions.record_refusal import record_refusal
from operations.actions.renew_claim import renew_claim
from operations.actions.take_case import take_case
from operations.actors import Actor
from operations.protocol.payloads import dumps
from operations.protocol.profiles import RefusalRule
from operations.protocol.receipts import parse_receipt
from operations.protocol.refusals import StaleClaim
from operations.protocol.states import Channel, State
from tests.build import a_console_operation, a_marked_operation, a_receipt, agent_actor
from tests.people import an_operator, the_entry
from tests.receiver import configure

pytestmark = pytest.mark.django_db
DISPATCHER = Actor.system("dispatcher")


def claimed_by_the_dispatcher():
    operation = a_console_operation()
    claim = claim_for_dispatch(operation_id=operation.pk, holder="worker-1", actor=DISPATCHER)
    return operation, claim


def sent_by_the_dispatcher():
    operation, claim = claimed_by_the_dispatcher()
    mark_attempt(operation_id=operation.pk, actor=DISPATCHER, token=claim.token)
    operation.refresh_from_db()
    return operation, {
        "operation_id": operation.pk,
        "actor": agent_actor(operation.agent),
        "token": claim.token,
    }


def test_an_agent_confirms_nothing_with_the_dispatchers_token():
    operation, report = sent_by_the_dispatcher()
    value = a_receipt(operation)
    with pytest.raises(StaleClaim):
        record_receipt(
            value=parse_receipt(value),
            channel=Channel.RESPONSE,
            raw=dumps(value).encode(),
            **report,
        )
    operation.refresh_from_db()
    assert operation.state == State.SENT_UNKNOWN
    assert not operation.receipts.exists()
    assert the_entry(operation, "foreign_token").actor_kind == "agent"


def test_an_agent_refuses_nothing_with_the_dispatchers_token(settings):
    configure(settings, definite_refusals=(RefusalRule(422, "no_such_sku"),))
    operation, report = sent_by_the_dispatcher()
    with pytest.raises(StaleClaim):
        record_refusal(status=422, code="no_such_sku", raw=b"{}", **report)
    operation.refresh_from_db()
    assert operation.state == State.SENT_UNKNOWN


def test_an_agent_ends_no_attempt_of_the_dispatcher():
    operation, report = sent_by_the_dispatcher()
    with pytest.raises(StaleClaim):
        end_attempt(generation=1, outcome="not_sent", detail="", **report)
    assert not operation.attempts.get().ends.exists()


@pytest.mark.parametrize("act", [renew_claim, give_back_claim])
def test_an_agent_keeps_and_frees_no_claim_of_the_dispatcher(act):
    operation, claim = claimed_by_the_dispatcher()
    ends_at = claim.expires_at
    with pytest.raises(StaleClaim):
        act(operation_id=operation.pk, actor=agent_actor(operation.agent), token=claim.token)
    claim.refresh_from_db()
    assert (claim.ended_at, claim.expires_at) == (None, ends_at)


def test_the_token_of_a_persons_case_is_no_senders():
    operation, attempt = a_marked_operation()
    take_case(operation_id=operation.pk, actor=an_operator(), version=operation.version)
    operation.refresh_from_db()
    assert operation.review_token != attempt.token
    value = a_receipt(operation)
    with pytest.raises(StaleClaim):
        record_receipt(
            operation_id=operation.pk,
            value=parse_receipt(value),
            channel=Channel.RESPONSE,
            raw=dumps(value).encode(),
            actor=agent_actor(operation.agent),
            token=operation.review_token,
        )
    assert not operation.receipts.exists()
