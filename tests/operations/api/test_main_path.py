"""Register, claim, mark, report: the way every effect takes."""

import pytest

from tests.operations.api.caller import ApiCaller

pytestmark = pytest.mark.django_db
MEMBERS = (
    *("id", "key", "environment", "kind", "receiver", "executor", "reference", "state", "cause"),
    *("grade", "executed", "version", "generation", "payload_digest", "approval", "claim"),
    *("open_reviews", "links", "next_action", "created_at", "updated_at"),
)


def test_a_registered_operation_has_every_member_of_the_contract(agent: ApiCaller) -> None:
    answer = agent.register()
    assert answer.status == 201
    assert [name for name in MEMBERS if name not in answer.json] == []
    assert answer["next_action"]["code"] == "claim"


def test_the_mark_answers_what_the_sender_needs(agent: ApiCaller) -> None:
    operation = agent.registered()
    token = agent.claim(operation)["token"]
    answer = agent.post(f"/operations/{operation['id']}/attempts", {"token": token})
    assert answer.status == 201
    assert answer["payload"] == {"sku": "vanilla", "quantity": 6}
    assert answer["payload_digest"] == operation["payload_digest"]
    assert answer["send_within_seconds"] == 8
    assert answer["idempotency_key"] == agent.read(operation)["idempotency_key"]
    assert agent.read(operation)["state"] == "sent_unknown"


def test_a_matching_receipt_confirms(agent: ApiCaller) -> None:
    operation, token = agent.marked()
    answer = agent.report(operation, token)
    assert (answer.status, answer["verdict"], answer["state"]) == (200, "confirmed", "confirmed")
    assert agent.read(operation)["executed"] is True
