"""One story, unchanged, at every kind of receiver: its sender is killed after the other side acted.

What differs is said by the road alone: how it is sent, and how the receiver's own book is read.
"""

import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from operations.actions.attest_receipt import attest_receipt
from operations.actions.mark_attempt import mark_attempt
from operations.actions.second_proposal import second_proposal
from operations.models import Operation
from operations.protocol.states import Grade, Question, State
from operations.queries.audit_proof import prove_all
from reconciliation.actions.reconcile_operation import reconcile_operation
from tests.build import a_claim, a_console_operation, agent_actor, an_operation, move_back
from tests.dispatching import dispatch
from tests.people import an_approver, an_operator, typed
from tests.receiver import requests_and_effects
from tests.reconciliation.actions.test_http_story import console, kill_after_the_commit
from tests.reconciliation.actions.test_stripe_story import kill_when
from tests.stripe_console import a_refund, payment_fixture, way_fixture
from tests.stripe_server import stripe_server_fixture

__all__ = ["console", "payment_fixture", "stripe_server_fixture", "way_fixture"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.race]

# Past every lease, send deadline, delivery delay and lag that is configured here.
LATER_SECONDS = 400
# An agent that rings the order desk: the desk writes the order down, and the agent is no more.
RINGS = """
import os, signal, sys
import httpx
url, key = sys.argv[1:]
order = {"operation_id": key, "payload": {"sku": "vanilla", "quantity": 6}}
httpx.post(f"{url}/orders", json=order, headers={"Idempotency-Key": key}).raise_for_status()
os.kill(os.getpid(), signal.SIGKILL)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Road:
    """`sent_and_killed` gives the operation; `book` its (requests, effects) at the receiver."""

    sent_and_killed: Callable[[], Operation]
    book: Callable[[Operation], tuple[int, int]]
    ends_at_a_person: bool = False


@pytest.fixture
def sandbox_road(sandbox, settings) -> Road:
    def send() -> Operation:
        operation = a_console_operation()
        kill_after_the_commit(sandbox, operation, settings)
        return operation

    return Road(sent_and_killed=send, book=lambda each: requests_and_effects(sandbox, each))


@pytest.fixture
def http_road(console, settings) -> Road:
    def send() -> Operation:
        operation = a_console_operation(receiver="supplier")
        kill_after_the_commit(console, operation, settings)
        return operation

    return Road(sent_and_killed=send, book=lambda each: requests_and_effects(console, each))


@pytest.fixture
def stripe_road(way, stripe_server, payment, settings) -> Road:
    def send() -> Operation:
        operation = a_refund(payment)
        held = way.hold(b"POST /v1/refunds", "answers")
        kill_when(lambda: stripe_server.refunds(payment), stripe_server, operation, settings)
        held.go_on()
        return operation

    def book(operation: Operation) -> tuple[int, int]:
        asked = sum(line.startswith(b"POST /v1/refunds") for line in way.heard)
        return asked, len(stripe_server.refunds(payment))

    return Road(sent_and_killed=send, book=book)


@pytest.fixture
def manual_road(sandbox) -> Road:
    """The sandbox is the order desk's book here; the console can't read it."""

    def send() -> Operation:
        operation = an_operation(receiver="manual")
        claim = a_claim(operation)
        actor = agent_actor(operation.agent)
        mark_attempt(operation_id=operation.pk, actor=actor, token=claim.token)
        command = [sys.executable, "-c", RINGS, sandbox.url, operation.key]
        assert subprocess.run(command, check=False, timeout=60).returncode == -signal.SIGKILL
        operation.refresh_from_db()
        return operation

    return Road(
        sent_and_killed=send,
        book=lambda each: requests_and_effects(sandbox, each),
        ends_at_a_person=True,
    )


@pytest.mark.parametrize("receiver", ["sandbox", "http", "stripe", "manual"])
def test_killed_after_the_other_side_acted_it_is_settled_and_stays_one(receiver, request):
    road: Road = request.getfixturevalue(f"{receiver}_road")
    operation = road.sent_and_killed()
    assert (operation.state, road.book(operation)) == (State.SENT_UNKNOWN, (1, 1))
    dispatch(operation)
    move_back(operation, LATER_SECONDS)
    dispatch(operation)
    reconcile_operation(operation_id=operation.pk, holder="next worker")
    operation.refresh_from_db()
    if road.ends_at_a_person:
        assert operation.state == State.SENT_UNKNOWN
        assert [each.question for each in operation.reviews.all()] == [Question.UNKNOWN_OUTCOME]
        two_people_say_what_the_desk_told_them(operation)
    grade = Grade.ATTESTED if road.ends_at_a_person else Grade.RECEIPT
    assert (operation.state, operation.grade) == (State.CONFIRMED, grade)
    dispatch(operation)
    assert road.book(operation) == (1, 1)
    assert prove_all().is_whole


def two_people_say_what_the_desk_told_them(operation: Operation) -> None:
    proposed = attest_receipt(
        operation_id=operation.pk,
        actor=an_operator(),
        entered=typed(operation),
        version=operation.version,
        reason="The order desk reads it from their book.",
    )
    second_proposal(
        approval_id=proposed.proposal.pk, actor=an_approver(), is_yes=True, reason="Called back."
    )
    operation.refresh_from_db()
