"""The checker of all campaigns finds each broken promise; one that finds nothing proves nothing."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from operations.actions.attest_receipt import attest_receipt
from operations.actions.decide_approval import decide_approval
from operations.actions.mark_attempt import mark_attempt
from operations.actions.record_receipt import record_receipt
from operations.actions.second_proposal import second_proposal
from operations.models import Operation
from operations.protocol.receipts import parse_receipt
from operations.protocol.states import Channel
from opsconsole.embedded.record import DATABASE, ServersRecord
from tests.build import (
    a_claim,
    a_marked_operation,
    a_receipt,
    a_refund,
    agent_actor,
    an_operation,
    receive,
)
from tests.campaigns.harness.invariants import Findings, examine
from tests.campaigns.harness.ledger import Ledger
from tests.campaigns.harness.promises import BROKEN
from tests.database import as_superuser
from tests.people import an_approver, an_operator, an_unknown_outcome, the_request, typed

pytestmark = pytest.mark.django_db(transaction=True)

NOTHING = Ledger({}, {})

type Examine = Callable[..., Findings]


@pytest.fixture(name="found")
def found_fixture(postgres_record: ServersRecord) -> Examine:
    def found(ledger: Ledger = NOTHING, **options: Any) -> Findings:
        return examine(postgres_record.superuser_url(DATABASE), ledger=ledger, **options)

    return found


def confirmed() -> Operation:
    operation, _ = a_marked_operation()
    receive(operation, a_receipt(operation))
    operation.refresh_from_db()
    return operation


def confirmed_after_a_yes() -> Operation:
    operation = approved_and_marked()
    receive(operation, a_receipt(operation))
    operation.refresh_from_db()
    return operation


def approved_and_marked() -> Operation:
    operation = a_refund()
    decide_approval(
        approval_id=the_request(operation).pk,
        actor=an_approver(),
        is_yes=True,
        reason="Checked.",
        digest_seen=operation.payload_digest,
    )
    operation.refresh_from_db()
    claim = a_claim(operation)
    assert operation.agent is not None
    mark_attempt(operation_id=operation.pk, actor=agent_actor(operation.agent), token=claim.token)
    operation.refresh_from_db()
    return operation


def attested() -> Operation:
    operation = an_unknown_outcome()
    decided = attest_receipt(
        operation_id=operation.pk,
        actor=an_operator(),
        version=operation.version,
        entered=typed(operation),
        reason="Asked the receiver.",
    )
    assert decided.proposal is not None
    second_proposal(
        approval_id=decided.proposal.pk, actor=an_approver(), is_yes=True, reason="Asked too."
    )
    operation.refresh_from_db()
    return operation


def reported() -> Operation:
    """Confirmed by an agent's report alone: a look-up is due after the lag."""
    operation, attempt = a_marked_operation()
    assert operation.agent is not None
    record_receipt(
        operation_id=operation.pk,
        value=parse_receipt(a_receipt(operation)),
        channel=Channel.RESPONSE,
        raw=b"{}",
        actor=agent_actor(operation.agent),
        token=attempt.token,
    )
    operation.refresh_from_db()
    assert operation.next_try_at is not None
    return operation


def forge(statement: str, operation: Operation) -> None:
    """What no role of the product can write."""
    with as_superuser(connection) as cursor:
        cursor.execute(statement, {"id": operation.pk})


def ledger_of(operation: Operation, *, requests: int, effects: int) -> Ledger:
    place = (operation.environment, operation.key)
    return Ledger({place: requests}, {place: effects})


def test_an_honest_record_has_no_finding(found: Examine) -> None:
    confirmed(), an_unknown_outcome(), a_refund(), an_operation()
    confirmed_after_a_yes(), attested(), reported()
    assert found().all == []


def test_two_effects_and_two_requests_of_one_attempt_are_duplicates(found: Examine) -> None:
    operation = confirmed()
    assert found(ledger_of(operation, requests=1, effects=1)).duplicates == []
    assert len(found(ledger_of(operation, requests=2, effects=2)).duplicates) == 2
    assert len(found(ledger_of(an_operation(), requests=1, effects=0)).duplicates) == 1


def test_an_acknowledged_registration_that_is_not_there_is_lost(found: Examine) -> None:
    operation = an_operation()
    place = (operation.environment, operation.key)
    assert found(acknowledged=[place]).lost == []
    assert len(found(acknowledged=[("production", "nobody-has-it")]).lost) == 1


def test_an_effect_that_the_record_denies_is_lost(found: Examine) -> None:
    ready = an_operation()
    assert any(
        "nobody is asked" in line for line in found(ledger_of(ready, requests=0, effects=1)).lost
    )


def test_an_unknown_outcome_that_nobody_is_asked_about_is_stuck(found: Examine) -> None:
    a_marked_operation()
    assert len(found().stuck) == 1
    assert found(must_be_settled=False).stuck == []


@pytest.mark.parametrize(
    ("make", "statement"),
    [
        (a_refund, "UPDATE operations_approval SET expires_at = now() - interval '2 minutes'"),
        (reported, "UPDATE operations_operation SET next_try_at = now() - interval '2 minutes'"),
    ],
    ids=["a request that nobody may answer any more", "a look-up that nobody makes"],
)
def test_what_is_long_overdue_is_stuck_once_everything_should_be_settled(
    make: Callable[[], Operation], statement: str, found: Examine
) -> None:
    operation = make()
    assert found().stuck == []
    forge(statement, operation)
    assert len(found().stuck) == 1
    assert found(must_be_settled=False).stuck == []


@pytest.mark.parametrize(
    ("make", "statement", "sentence"),
    [
        (confirmed, "UPDATE operations_receipt SET effect_id = 'other'", "I2 a confirmation rests"),
        (
            confirmed,
            "UPDATE operations_receipt SET payload_text = '7', payload_digest = 'of 7',"
            " verdict = 'confirmed', differences = '[]'",
            "I2 a confirmation rests",
        ),
        (
            confirmed,
            'UPDATE operations_receipt SET payload_text = \'{"sku":"vanilla","quantity":5}\'',
            "I2 a confirmation rests",
        ),
        (confirmed, "UPDATE operations_receipt SET payload_text = ''", "I2 a confirmation rests"),
        (attested, "DELETE FROM operations_approvaldecision", "I2 a confirmation rests"),
        (
            attested,
            "UPDATE operations_approvaldecision d SET person_id = p.requested_by_id"
            " FROM operations_approval p WHERE p.id = d.approval_id",
            "I2 a confirmation rests",
        ),
        (attested, "UPDATE operations_receipt SET effect_id = 'other'", "I2 a confirmation rests"),
        (
            approved_and_marked,
            "UPDATE operations_attempt SET approval_id = NULL",
            "an attempt names the yes",
        ),
        (
            approved_and_marked,
            "DELETE FROM operations_approvaldecision",
            "an attempt under approval had a yes",
        ),
        (
            approved_and_marked,
            "UPDATE operations_attempt SET marked_at = marked_at + interval '30 days'",
            "an attempt under approval had a yes",
        ),
        (confirmed, "UPDATE operations_operation SET version = 99", "I5 the version grows"),
        (
            confirmed,
            "UPDATE operations_operation SET state = 'ready', grade = '', effect_id = ''",
            "I5 the entries' states",
        ),
        (
            an_operation,
            "DELETE FROM operations_auditwords; DELETE FROM operations_auditentry",
            "I5 every operation",
        ),
        (an_operation, "UPDATE operations_operation SET payload_canonical = '7'", "I7 the payload"),
        (
            confirmed,
            "UPDATE operations_attempt SET idempotency_key = 'other'",
            "I7 an attempt sent",
        ),
        (confirmed, "UPDATE operations_attempt SET generation = 3", "I4 a release opened"),
        (confirmed, "UPDATE operations_auditentry SET body = '{}' WHERE seq = 2", "I5 operation:"),
        (
            confirmed,
            "UPDATE operations_auditentry SET hash = prev_hash WHERE seq = 2",
            "I5 operation:",
        ),
    ],
)
def test_what_breaks_a_promise_is_found(
    make: Callable[[], Operation], statement: str, sentence: str, found: Examine
) -> None:
    operation = make()
    for each in statement.split("; "):
        forge(each, operation)
    assert any(line.startswith(sentence) for line in found(must_be_settled=False).violations)


def test_every_query_of_the_checker_reads_what_there_is(found: Examine) -> None:
    assert len(BROKEN) > 15
    assert found().work["operations"] == 0
