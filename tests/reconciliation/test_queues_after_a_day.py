"""Whatever a row holds, a day and every job later somebody sees it, or is about to act on it."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import product
from typing import Any, NamedTuple

import pytest
from django.db import connection

from operations import clock
from operations.models import Agent, Approval, Attempt, Operation
from operations.protocol.facts import as_read
from operations.protocol.queues import QueueFacts, queue
from operations.protocol.states import ApprovalStatus, Executor, Queue, State
from operations.queries.facts import facts_of_many
from operations.queries.queue_column import queue_column
from tests.build import a_refund, an_agent, an_operation
from tests.campaigns.harness.settle import let_time_pass, sweep
from tests.database import as_superuser
from tests.receiver import sandbox_fixture

__all__ = ["sandbox_fixture"]

pytestmark = pytest.mark.django_db

DAY_SECONDS = 86_400
STATES = (State.AWAITING_APPROVAL, State.READY, State.SENT_UNKNOWN)
REQUESTS = (None, ApprovalStatus.OPEN, ApprovalStatus.GRANTED)
CLAIMS = ("none", "held", "given back")
NEXT_TRIES = (None, -60, 3600)
FOR_PEOPLE = (Queue.UNRESOLVED, Queue.STALLED)


class Combination(NamedTuple):
    """What one row holds."""

    state: State
    executor: Executor
    request: ApprovalStatus | None
    claim: str
    next_try_in_seconds: int | None


def combinations() -> Iterator[Combination]:
    yield from map(Combination._make, product(STATES, Executor, REQUESTS, CLAIMS, NEXT_TRIES))


CLAIM = """
    INSERT INTO operations_claim (operation_id, slot, purpose, token, holder, agent_id,
        version_seen, lease_seconds, taken_at, expires_at, ended_at, "end", nonce)
    SELECT id, 'machine', %(purpose)s, nextval('operations_fencing_token'), 'worker', agent_id,
        version, 60, created_at, created_at + interval '60 s',
        CASE WHEN %(end)s <> '' THEN created_at END, %(end)s, ''
    FROM operations_operation WHERE id = %(id)s RETURNING id, token, expires_at
"""
OPERATION = """
    UPDATE operations_operation SET state = %(state)s,
        updated_at = created_at,
        next_try_at = created_at + make_interval(secs => %(ahead)s),
        claim_token = %(token)s, claim_holder = %(holder)s, claim_purpose = %(purpose)s,
        claim_expires_at = %(expires_at)s, claim_given_back = %(given_back)s
    WHERE id = %(id)s
"""
REQUEST = """
    UPDATE operations_approval SET status = %(status)s, given = needed,
        decided_at = opened_at, valid_until = opened_at + interval '15 minutes'
    WHERE operation_id = %(id)s
"""


def plant(wanted: Combination, agent: Agent) -> Operation:
    """A row that holds this, whether or not any action leads to it."""
    build = an_operation if wanted.request is None else a_refund
    operation = build(agent=agent, executor=wanted.executor)
    sent = wanted.state is State.SENT_UNKNOWN
    purpose = "reconcile" if sent and wanted.claim != "none" else "dispatch"
    values: dict[str, Any] = {"id": operation.pk, "purpose": purpose}
    with as_superuser(connection) as cursor:
        end = "" if wanted.claim == "held" else "given_back"
        cursor.execute(CLAIM, values | {"end": end})
        claim_id, token, expires_at = cursor.fetchone()
        is_there = wanted.claim != "none"
        values |= {
            "state": str(wanted.state),
            "ahead": wanted.next_try_in_seconds,
            "token": token if is_there else None,
            "holder": "worker" if is_there else "",
            "purpose": purpose if is_there else "",
            "expires_at": expires_at if is_there else None,
            "given_back": wanted.claim == "given back",
        }
        cursor.execute(OPERATION, values)
        if wanted.request not in (None, ApprovalStatus.OPEN):
            cursor.execute(REQUEST, {"id": operation.pk, "status": str(wanted.request)})
        if sent:
            attempt_of(operation, claim_id, token).save()
    return operation


def attempt_of(operation: Operation, claim_id: int, token: int) -> Attempt:
    at = operation.created_at
    return Attempt(
        operation=operation,
        generation=1,
        claim_id=claim_id,
        token=token,
        marked_at=at,
        send_deadline_at=at + timedelta(seconds=8),
        send_within_seconds=8,
        payload_digest=operation.payload_digest,
        idempotency_key=operation.idempotency_key,
        sender="worker",
    )


def is_looked_after(row: Operation, now: Any) -> bool:
    """Whether a person sees it as theirs to settle, or a job or its agent is to act on it."""
    found = Queue(row.in_queue)
    if found is Queue.WAITING_FOR_APPROVAL:
        open_ones = Approval.objects.filter(operation=row, status=ApprovalStatus.OPEN)
        return open_ones.filter(expires_at__gt=now).exists()
    if found is Queue.DUE:  # an agent comes for its own when it likes
        return row.state == State.READY and row.executor == Executor.AGENT
    if found is Queue.DONE:
        return row.state not in STATES
    return found in (*FOR_PEOPLE, Queue.SCHEDULED)


def test_a_day_later_every_row_is_in_exactly_one_queue_that_somebody_sees(sandbox) -> None:
    """Case 30: state, request, claim and next try in every combination, legal or not."""
    agent = an_agent()
    planted = {plant(each, agent).pk: each for each in combinations()}
    for _ in range(2):  # a job may leave something that is due to another one
        let_time_pass(DAY_SECONDS, approvals_age=True)
        sweep()
    now = clock.now()
    rows = list(Operation.objects.annotate(in_queue=queue_column(now)))
    facts = facts_of_many(rows)
    for row in rows:
        told = queue(QueueFacts.of(as_read(facts[row.pk], now)), now)
        assert row.in_queue == told, planted[row.pk]
    lost = [(planted[row.pk], row.in_queue) for row in rows if not is_looked_after(row, now)]
    assert (lost, len(rows)) == ([], 162)
