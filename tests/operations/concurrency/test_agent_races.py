"""Two or more at once, on real connections: one wins, the others learn why not."""

import time
from functools import partial

import pytest

from operations.actions.claim_operation import claim_operation
from operations.actions.mark_attempt import mark_attempt
from operations.actions.record_receipt import Recorded, record_receipt
from operations.actions.register_operation import Registered, register_operation
from operations.models import Attempt, AuditEntry, Claim, Operation, Receipt
from operations.protocol.payloads import dumps
from operations.protocol.receipts import parse_receipt
from operations.protocol.refusals import (
    AlreadyClaimed,
    AlreadyMarked,
    KeyReused,
    NotClaimable,
)
from operations.protocol.states import Channel, State, Verdict
from tests.build import (
    a_claim,
    a_marked_operation,
    a_receipt,
    a_registration,
    agent_actor,
    an_agent,
    an_operation,
    receive,
)
from tests.operations.concurrency.together import together
from tests.receiver import requests_and_effects, sandbox_fixture, sandbox_process_fixture

__all__ = ["sandbox_fixture", "sandbox_process_fixture"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.race]

ROUNDS = 20


def test_twenty_parallel_registrations_make_one_operation():
    actor = agent_actor(an_agent())
    results = together(
        *[
            partial(register_operation, actor=actor, registration=a_registration(key="k"))
            for _ in range(20)
        ]
    )
    assert all(isinstance(result, Registered) for result in results), results
    assert {result.operation.pk for result in results} == {Operation.objects.get(key="k").pk}
    assert sum(result.is_new for result in results) == 1


def test_parallel_registrations_that_differ_leave_one_and_refuse_the_other():
    actor = agent_actor(an_agent())
    payloads = ('{"sku":"vanilla","quantity":6}', '{"sku":"vanilla","quantity":7}')
    for number in range(ROUNDS):
        results = together(
            *[
                partial(
                    register_operation,
                    actor=actor,
                    registration=a_registration(key=f"k-{number}", payload=payload),
                )
                for payload in payloads
            ]
        )
        assert sorted(type(result).__name__ for result in results) == ["KeyReused", "Registered"]
        assert KeyReused in map(type, results)


def test_two_workers_that_claim_one_version_get_one_claim():
    for _ in range(ROUNDS):
        operation = an_operation()
        claim = partial(
            claim_operation,
            operation_id=operation.pk,
            actor=agent_actor(operation.agent),
            version=1,
            lease_seconds=30,
        )
        results = together(*[partial(claim, holder=f"w{n}") for n in range(3)])
        winners = [result for result in results if isinstance(result, Claim)]
        losers = [result for result in results if isinstance(result, AlreadyClaimed)]
        assert (len(winners), len(losers)) == (1, 2), results
        assert {loser.members["holder"] for loser in losers} == {winners[0].holder}


def test_of_two_workers_that_read_the_same_each_operation_is_sent_by_one(sandbox):
    """Case 121: whatever happens between the look and the claim, one conditional UPDATE decides."""
    agent = an_agent()
    actor = agent_actor(agent)
    operations = [an_operation(agent=agent) for _ in range(200)]
    lanes = [operations[start::10] for start in range(10)]

    def work(worker: str, lane: list[Operation]) -> list[object]:
        return [look_pause_claim_and_send(worker, each) for each in lane]

    def look_pause_claim_and_send(worker: str, operation: Operation) -> object:
        seen = Operation.objects.get(pk=operation.pk).version
        time.sleep(0.05)
        try:
            claim = claim_operation(
                operation_id=operation.pk,
                actor=actor,
                version=seen,
                holder=worker,
                lease_seconds=60,
            )
        except (AlreadyClaimed, NotClaimable) as refusal:
            return refusal
        attempt = mark_attempt(operation_id=operation.pk, actor=actor, token=claim.token)
        sandbox.post_order(operation.key, key=attempt.idempotency_key, timeout=30)
        return claim

    results = together(*[partial(work, name, lane) for name in ("w1", "w2") for lane in lanes])
    outcomes = [outcome for lane in results for outcome in lane]
    claims = [outcome for outcome in outcomes if isinstance(outcome, Claim)]
    assert len({claim.operation_id for claim in claims}) == len(claims) == 200
    lost = [outcome for outcome in outcomes if not isinstance(outcome, Claim)]
    assert any(isinstance(refusal, AlreadyClaimed) for refusal in lost)
    assert len(lost) == 200
    assert {requests_and_effects(sandbox, each) for each in operations} == {(1, 1)}


def test_two_marks_under_one_token_write_one_attempt():
    for _ in range(ROUNDS):
        operation = an_operation()
        claim = a_claim(operation)
        mark = partial(
            mark_attempt,
            operation_id=operation.pk,
            actor=agent_actor(operation.agent),
            token=claim.token,
        )
        results = together(mark, mark)
        assert sorted(type(result).__name__ for result in results) == ["AlreadyMarked", "Attempt"]
        assert Attempt.objects.filter(operation=operation).count() == 1
        assert any(isinstance(result, AlreadyMarked) for result in results)


def test_a_report_and_a_lookup_of_one_effect_confirm_once():
    for _ in range(ROUNDS):
        operation, attempt = a_marked_operation()
        value = a_receipt(operation)
        report = partial(
            record_receipt,
            operation_id=operation.pk,
            value=parse_receipt(value),
            channel=Channel.RESPONSE,
            raw=dumps(value).encode(),
            actor=agent_actor(operation.agent),
            token=attempt.token,
        )
        results = together(report, partial(receive, operation, value))
        assert {result.verdict for result in results} == {
            Verdict.CONFIRMED,
            Verdict.ALREADY_CONFIRMED,
        }
        assert AuditEntry.objects.filter(operation=operation, event="confirm").count() == 1


def test_one_effect_that_names_two_operations_at_once_confirms_one():
    """Case 48: at the same moment too, by a unique constraint of the database."""
    for number in range(ROUNDS):
        first, _ = a_marked_operation()
        second, _ = a_marked_operation()
        results = together(
            *[
                partial(receive, each, a_receipt(each, effect_id=f"eff-shared-{number}"))
                for each in (first, second)
            ]
        )
        assert all(isinstance(result, Recorded) for result in results), results
        states = sorted(Operation.objects.get(pk=each.pk).state for each in (first, second))
        assert states == [State.CONFIRMED, State.SENT_UNKNOWN]
        assert Receipt.objects.filter(effect_id=f"eff-shared-{number}").count() == 2
