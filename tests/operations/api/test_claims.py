"""Claims over HTTP: one winner, tokens that go stale, and the order of the refusals."""

import threading
from typing import Any

import pytest
from django.db import connection

from operations.models import Operation
from tests.build import move_back
from tests.operations.api.caller import VANILLA, Answer, ApiCaller, a_caller

pytestmark = pytest.mark.django_db


def test_a_claim_has_a_token_an_end_and_the_operation(agent: ApiCaller) -> None:
    operation = agent.registered()
    answer = agent.claim(operation)
    assert answer.status == 201
    assert isinstance(answer["token"], int)
    assert answer["operation"]["claim"] == {
        "holder": "worker",
        "purpose": "dispatch",
        "expires_at": answer["expires_at"],
    }
    assert answer["operation"]["version"] == operation["version"]


def test_the_second_claimant_gets_the_record(agent: ApiCaller) -> None:
    operation = agent.registered()
    agent.claim(operation)
    answer = agent.claim(operation, holder="another")
    assert answer.is_problem(409, "already_claimed")
    assert answer["operation"]["claim"]["holder"] == "worker"
    assert answer["operation"]["next_action"]["opens_at"] is not None


def test_the_same_nonce_gets_the_same_claim(agent: ApiCaller) -> None:
    operation = agent.registered()
    first, again = (agent.claim(operation, nonce="n-1") for _ in range(2))
    assert (again.status, again["token"]) == (201, first["token"])


def test_a_stale_version_is_told_apart(agent: ApiCaller) -> None:
    operation = agent.registered()
    answer = agent.claim(operation, version=operation["version"] + 1)
    assert answer.is_problem(409, "stale_version")
    assert (answer["field"], answer["expected"]) == ("version", operation["version"])


def test_a_sent_operation_is_not_claimable(agent: ApiCaller) -> None:
    operation, _ = agent.marked()
    assert agent.claim(operation).is_problem(409, "not_claimable")


def test_an_operation_of_the_console_is_not_claimable(agent: ApiCaller) -> None:
    operation = agent.registered(executor="console")
    assert operation["next_action"]["code"] == "wait_for_settlement"
    assert agent.claim(operation).is_problem(409, "not_claimable")


def test_another_agent_claims_nothing(agent: ApiCaller, other_agent: ApiCaller) -> None:
    operation = agent.registered()
    answer = other_agent.claim(operation)
    assert answer.is_problem(404, "not_found")
    assert "operation" not in answer.json


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"lease_seconds": 4}, "lease_seconds"),
        ({"lease_seconds": 301}, "lease_seconds"),
        ({"lease_seconds": 30.5}, "lease_seconds"),
        ({"lease_seconds": True}, "lease_seconds"),
        ({"lease_seconds": "30"}, "lease_seconds"),
        ({"version": 10**30}, "version"),
        ({"version": -1}, "version"),
        ({"holder": ""}, "holder"),
        ({"holder": 5}, "holder"),
        ({"nonce": {}}, "nonce"),
    ],
)
def test_wrong_values_are_named(agent: ApiCaller, given: dict[str, Any], field: str) -> None:
    answer = agent.claim(agent.registered(), **given)
    assert answer.is_problem(422, "invalid_payload")
    assert answer["field"] == field


def test_a_renewal_moves_the_end(agent: ApiCaller) -> None:
    operation = agent.registered()
    claim = agent.claim(operation)
    answer = agent.post(f"/operations/{operation['id']}/claims/{claim['token']}/renewal")
    assert (answer.status, answer["token"]) == (200, claim["token"])
    assert answer["expires_at"] > claim["expires_at"]


def test_a_renewal_takes_no_member(agent: ApiCaller) -> None:
    operation = agent.registered()
    path = f"/operations/{operation['id']}/claims/{agent.claim(operation)['token']}/renewal"
    assert agent.post(path, {"lease_seconds": 300}).is_problem(422, "unknown_field")
    assert agent.post(path, {}).status == 200


def test_an_expired_claim_is_not_renewed(agent: ApiCaller) -> None:
    operation = agent.registered()
    token = agent.claim(operation)["token"]
    move_back(Operation.objects.get(), 60)
    answer = agent.post(f"/operations/{operation['id']}/claims/{token}/renewal")
    assert answer.is_problem(409, "stale_claim")


def test_a_claim_given_back_is_free_and_stale(agent: ApiCaller) -> None:
    operation = agent.registered()
    path = f"/operations/{operation['id']}/claims/{agent.claim(operation)['token']}"
    freed = agent.call("DELETE", path)
    assert (freed.status, freed["claim"]) == (200, None)
    assert agent.call("DELETE", path).is_problem(409, "stale_claim")
    assert agent.claim(operation, holder="another").status == 201


@pytest.mark.parametrize("token", ["x", "-1", "1" * 30, "1" * 5000, "%00", "1.5"])
def test_a_token_in_the_path_that_can_be_none_is_not_found(agent: ApiCaller, token: str) -> None:
    operation = agent.registered()
    answer = agent.call("DELETE", f"/operations/{operation['id']}/claims/{token}")
    assert answer.is_problem(404, "not_found")


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
def test_sixteen_claimants_have_one_winner() -> None:
    agent = a_caller("agent-race")
    operation = agent.registered(payload=VANILLA)
    answers: list[Answer] = []
    begin = threading.Barrier(16)

    def claim() -> None:
        begin.wait()
        try:
            answers.append(agent.claim(operation))
        finally:
            connection.close()

    threads = [threading.Thread(target=claim) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    won = [answer for answer in answers if answer.status == 201]
    lost = [answer for answer in answers if answer.is_problem(409, "already_claimed")]
    assert (len(won), len(lost)) == (1, 15)
    assert all(answer["operation"]["claim"] for answer in lost)


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
def test_sixteen_marks_under_one_token_have_one_winner() -> None:
    agent = a_caller("agent-race")
    operation = agent.registered()
    token = agent.claim(operation)["token"]
    answers: list[Answer] = []
    begin = threading.Barrier(16)

    def mark() -> None:
        begin.wait()
        try:
            answers.append(agent.post(f"/operations/{operation['id']}/attempts", {"token": token}))
        finally:
            connection.close()

    threads = [threading.Thread(target=mark) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answer.status for answer in answers) == [201] + [409] * 15
    assert len(agent.read(operation)["attempts"]) == 1
