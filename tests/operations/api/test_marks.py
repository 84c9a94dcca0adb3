"""The mark over HTTP: any answer but 201 means that nothing may be sent."""

import pytest

from operations import clock
from operations.models import Approval, Halt, Operation, Review
from operations.protocol.states import ApprovalStatus
from tests.build import a_person, move_back
from tests.operations.api.caller import Answer, ApiCaller

pytestmark = pytest.mark.django_db


def mark(agent: ApiCaller, operation: dict[str, object], token: int) -> Answer:
    return agent.post(f"/operations/{operation['id']}/attempts", {"token": token})


def test_a_generation_is_marked_once(agent: ApiCaller) -> None:
    operation, token = agent.marked()
    answer = mark(agent, operation, token)
    assert answer.is_problem(409, "already_marked")
    assert answer["operation"]["state"] == "sent_unknown"
    assert answer["generation"] == 1


def test_a_token_that_is_not_current_marks_nothing(agent: ApiCaller) -> None:
    operation = agent.registered()
    token = agent.claim(operation)["token"]
    assert mark(agent, operation, token + 1).is_problem(409, "stale_claim")
    move_back(Operation.objects.get(), 60)
    assert mark(agent, operation, token).is_problem(409, "stale_claim")
    assert agent.read(operation)["state"] == "ready"


def test_an_operation_that_waits_for_people_is_not_marked(agent: ApiCaller) -> None:
    payload = {"order": "A-1", "amount": "950.00", "currency": "EUR", "reason": "damaged"}
    operation = agent.registered(kind="payment.refund", payload=payload)
    answer = mark(agent, operation, 1)
    assert answer.is_problem(409, "approval_required")
    assert answer["operation"]["next_action"]["code"] == "wait_for_approval"


def test_a_yes_that_ran_out_asks_again(agent: ApiCaller) -> None:
    payload = {"order": "A-1", "amount": "950.00", "currency": "EUR", "reason": "damaged"}
    operation = agent.registered(kind="payment.refund", payload=payload)
    _grant(operation["id"])
    ready = agent.read(operation)
    assert (ready["state"], ready["approval"]["status"]) == ("ready", "granted")
    move_back(Operation.objects.get(pk=operation["id"]), 25 * 3600)
    token = agent.claim(ready)["token"]
    answer = mark(agent, operation, token)
    assert answer.is_problem(409, "approval_required")
    assert answer["operation"]["state"] == "awaiting_approval"
    assert answer["operation"]["approval"]["status"] == "open"


def test_a_halt_stops_the_mark_and_says_who_and_why(agent: ApiCaller) -> None:
    operation = agent.registered()
    token = agent.claim(operation)["token"]
    Halt.objects.create(reason="stock is being counted", halted_by=a_person("olga"), at=clock.now())
    answer = mark(agent, operation, token)
    assert answer.is_problem(409, "halted")
    assert (answer["by"], answer["reason"]) == ("olga", "stock is being counted")
    assert answer["operation"]["next_action"]["code"] == "ask_person"


def test_an_open_review_holds_the_mark(agent: ApiCaller) -> None:
    operation = agent.registered()
    token = agent.claim(operation)["token"]
    Review.objects.create(
        operation_id=operation["id"], question="late_receipt", reason="x", opened_at=clock.now()
    )
    answer = mark(agent, operation, token)
    assert answer.is_problem(409, "held")
    assert answer["operation"]["open_reviews"] == ["late_receipt"]


def test_another_agent_marks_nothing(agent: ApiCaller, other_agent: ApiCaller) -> None:
    operation = agent.registered()
    token = agent.claim(operation)["token"]
    assert mark(other_agent, operation, token).is_problem(404, "not_found")


def _grant(operation_id: str) -> None:
    """Two people's work is tested elsewhere; here the yes is given by the real action."""
    from operations.actions.decide_approval import decide_approval
    from tests.build import as_actor

    request = Approval.objects.get(operation_id=operation_id, status=ApprovalStatus.OPEN)
    decide_approval(
        approval_id=request.pk,
        actor=as_actor(a_person("anna", "approver")),
        is_yes=True,
        reason="fine",
        digest_seen=request.payload_digest,
    )
