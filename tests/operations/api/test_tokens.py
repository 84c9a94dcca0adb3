"""A fencing token opens its own claim's doors, while it is current, and no other (rule 4)."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pytest_django.fixtures import Settings

from operations.actions.release_operation import release_operation
from operations.actions.take_case import take_case
from operations.models import AuditEntry, Claim, Operation, Receipt
from operations.protocol.states import Purpose
from tests.build import move_back
from tests.operations.api.caller import Answer, ApiCaller, a_receipt
from tests.people import an_operator, look_up_nothing
from tests.receiver import configure

pytestmark = pytest.mark.django_db

MISSING: dict[str, Any] = {}
RECONCILE, REVIEW = Purpose.RECONCILE, Purpose.REVIEW


def calls(operation: dict[str, Any]) -> dict[str, tuple[str, dict[str, Any]]]:
    """Everything a sender says with a token in its body: the path, and the rest of the body."""
    path = f"/operations/{operation['id']}"
    return {
        "mark": (f"{path}/attempts", {}),
        "receipt": (f"{path}/receipts", {"receipt": a_receipt(operation)}),
        "refusal": (f"{path}/refusals", {"status": 422, "code": "order_refused", "raw": "no"}),
        "end": (f"{path}/attempts/1/end", {"outcome": "unknown", "detail": ""}),
    }


def say(agent: ApiCaller, operation: dict[str, Any], word: str, token: dict[str, Any]) -> Answer:
    path, body = calls(operation)[word]
    return agent.post(path, {**body, **token})


def foreign_tokens(operation: dict[str, Any]) -> int:
    entries = AuditEntry.objects.filter(operation_id=operation["id"], event="foreign_token")
    return entries.count()


def test_without_its_own_token_nothing_is_done_and_each_try_is_on_record(agent: ApiCaller) -> None:
    """Case 60: no token is not every token, on any path that takes one."""
    operation, token = agent.marked()
    unsent = agent.registered()
    own = agent.claim(unsent)["token"]
    row = Operation.objects.values().get(pk=operation["id"])
    none_of_ours = (MISSING, {"token": None}, {"token": ""}, {"token": 0}, {"token": own})
    for number, wrong in enumerate(none_of_ours, start=1):
        for word in ("receipt", "refusal", "end"):
            assert say(agent, operation, word, wrong).is_problem(409, "stale_claim"), (word, wrong)
        assert foreign_tokens(operation) == 3 * number
        mark = wrong if wrong != {"token": own} else {"token": token}
        assert say(agent, unsent, "mark", mark).is_problem(409, "stale_claim"), wrong
        assert foreign_tokens(unsent) == number
    assert Operation.objects.values().get(pk=operation["id"]) == row
    assert not Receipt.objects.exists()
    assert say(agent, unsent, "mark", {"token": own}).status == 201
    assert say(agent, operation, "receipt", {"token": token})["verdict"] == "confirmed"


def released(agent: ApiCaller) -> dict[str, Any]:
    """Looked up by the reconciler and released by a person who had taken the case for it."""
    marked, _ = agent.marked()
    operation, person = Operation.objects.get(pk=marked["id"]), an_operator()
    move_back(operation, 60)
    look_up_nothing(operation)
    take_case(operation_id=operation.pk, actor=person, version=operation.version)
    release_operation(
        operation_id=operation.pk, actor=person, version=operation.version, reason="not there"
    )
    return agent.read(marked)


def test_a_mark_under_the_reconcilers_or_a_reviewers_token_is_on_record_too(
    agent: ApiCaller, settings: Settings
) -> None:
    """Case 60: each is a token of this operation, and none is the sender's own."""
    configure(settings, second_person=False)
    operation = released(agent)
    claims = Claim.objects.filter(operation_id=operation["id"])
    foreign = [claims.get(purpose=purpose).token for purpose in (RECONCILE, REVIEW)]
    for number, token in enumerate(foreign, start=1):
        assert say(agent, operation, "mark", {"token": token}).is_problem(409, "stale_claim")
        assert foreign_tokens(operation) == number
    own = agent.claim(operation)["token"]
    for number, token in enumerate(foreign, start=3):
        assert say(agent, operation, "mark", {"token": token}).is_problem(409, "stale_claim")
        assert foreign_tokens(operation) == number
    assert say(agent, operation, "mark", {"token": own}).status == 201
    assert foreign_tokens(operation) == 4


def test_the_document_says_which_tokens_are_read(agent: ApiCaller) -> None:
    """An empty text is no token as null is; what the schema leaves out is malformed."""
    document = agent.get("/openapi.json").json
    schema = document["components"]["schemas"]["MarkBody"]["properties"]["token"]
    operation = agent.registered()
    for token in (None, "", 0, 5, "5", " ", True, -1, 1.5, 2**63, [], {}):
        answer = say(agent, operation, "mark", {"token": token})
        is_described = Draft202012Validator(schema).is_valid(token)
        assert answer.status == (409 if is_described else 422), (token, answer)


@pytest.mark.parametrize("token", [0, 999_999_999])
def test_a_claim_is_neither_renewed_nor_given_back_under_anothers_token(
    agent: ApiCaller, token: int
) -> None:
    operation = agent.registered()
    own = agent.claim(operation)["token"]
    path = f"/operations/{operation['id']}/claims"
    assert agent.post(f"{path}/{token}/renewal").is_problem(409, "stale_claim")
    assert agent.call("DELETE", f"{path}/{token}").is_problem(409, "stale_claim")
    assert foreign_tokens(operation) == 2
    assert agent.read(operation)["claim"]["holder"] == "worker"
    assert agent.post(f"{path}/{own}/renewal").status == 200


def test_an_attempt_that_lost_its_lease_changes_nothing_for_the_next_of_the_same_name(
    agent: ApiCaller,
) -> None:
    """Case 58: a claim is known by its token, not by the worker that took it."""
    operation = agent.registered()
    old = agent.claim(operation, holder="w1")["token"]
    move_back(Operation.objects.get(), 60)
    new = agent.claim(operation, holder="w1")["token"]
    path = f"/operations/{operation['id']}/claims/{old}"
    assert agent.post(f"{path}/renewal").is_problem(409, "stale_claim")
    assert agent.call("DELETE", path).is_problem(409, "stale_claim")
    finished = agent.report(operation, old)
    assert finished.is_problem(409, "stale_claim")
    row = Operation.objects.get()
    assert (row.claim_token, row.claim_holder, row.claim_given_back) == (new, "w1", False)
    assert (row.state, row.claims.get(token=new).ended_at) == ("ready", None)
    # A report is evidence all the same, and holds the new attempt back until it is explained.
    assert Receipt.objects.get().is_stale
    assert say(agent, operation, "mark", {"token": new}).is_problem(409, "held")
