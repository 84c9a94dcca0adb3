"""Reading: pages by keyset, states as they read now, long polls, and the handoff."""

import threading
import time
import uuid
from typing import Any

import pytest
from django.db import connection

from operations.api.waiting import Waiting
from operations.models import Approval, Operation
from operations.protocol.refusals import RateLimited
from tests.build import move_back
from tests.operations.api.caller import ApiCaller, a_caller

pytestmark = pytest.mark.django_db
NOBODYS = "00000000-0000-4000-8000-000000000000"
REFUND = {"order": "A-1", "amount": "950.00", "currency": "EUR", "reason": "damaged"}


@pytest.mark.parametrize("given", [NOBODYS, "x", "order-17", "%00", "%ff", "..", "{x}", "1" * 400])
def test_an_id_that_is_not_ones_own_is_not_found(agent: ApiCaller, given: str) -> None:
    for method, path in (("GET", ""), ("GET", "/handoff"), ("POST", "/lookups")):
        assert agent.call(method, f"/operations/{given}{path}").is_problem(404, "not_found")


def test_another_agents_operation_is_not_found(agent: ApiCaller, other_agent: ApiCaller) -> None:
    operation = agent.registered()
    answer = other_agent.get(f"/operations/{operation['id']}")
    assert answer.is_problem(404, "not_found")
    assert operation["key"] not in str(answer.json)
    assert other_agent.get("/operations")["items"] == []


def test_a_read_has_payload_key_attempts_and_receipts(agent: ApiCaller) -> None:
    operation, token = agent.marked(goal="restock", context={"shelf": 4})
    agent.report(operation, token)
    read = agent.read(operation)
    assert (read["payload"], read["goal"]) == ({"sku": "vanilla", "quantity": 6}, "restock")
    assert read["context"] == {"shelf": 4}
    assert read["idempotency_key"].startswith("oc-")
    assert [each["token"] for each in read["attempts"]] == [token]
    assert read["attempts"][0]["end"]["outcome"] == "receipt"
    receipt = read["receipts"][0]
    assert (receipt["operation_id"], receipt["channel"]) == (operation["key"], "response")
    assert receipt["effect_id"] == read["effect_id"]


def test_pages_follow_one_another_without_gap_or_repetition(agent: ApiCaller) -> None:
    made = [agent.registered()["id"] for _ in range(5)]
    seen: list[str] = []
    cursor = ""
    while True:
        page = agent.get(f"/operations?limit=2{cursor}")
        seen += [item["id"] for item in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert seen == made


def test_a_list_is_narrowed_by_environment_key_and_state(agent: ApiCaller) -> None:
    first = agent.registered()
    staged = agent.registered(key=first["key"], environment="staging")
    sent, _ = agent.marked()

    def ids(query: str) -> list[str]:
        return [item["id"] for item in agent.get(f"/operations?{query}")["items"]]

    assert ids(f"key={first['key']}") == [first["id"], staged["id"]]
    assert ids(f"key={first['key']}&environment=staging") == [staged["id"]]
    assert ids("state=sent_unknown") == [sent["id"]]


@pytest.mark.parametrize(
    ("query", "status", "code", "field"),
    [
        ("limit=0", 422, "invalid_payload", "limit"),
        ("limit=201", 422, "invalid_payload", "limit"),
        ("limit=two", 422, "invalid_payload", "limit"),
        ("limit=1&limit=2", 422, "invalid_payload", "limit"),
        ("state=lost", 422, "invalid_payload", "state"),
        ("cursor=x", 422, "invalid_payload", "cursor"),
        ("cursor=eyJhIjoxfQ:1:x", 422, "invalid_payload", "cursor"),
        ("environment=nowhere", 422, "unknown_environment", "environment"),
        ("key=%00", 400, "invalid_key", "key"),
        ("page=2", 422, "unknown_field", "page"),
    ],
)
def test_a_wrong_query_names_its_parameter(
    agent: ApiCaller, query: str, status: int, code: str, field: str
) -> None:
    answer = agent.get(f"/operations?{query}")
    assert answer.is_problem(status, code)
    assert answer["field"] == field


def test_a_cursor_is_good_for_its_own_list_only(agent: ApiCaller, other_agent: ApiCaller) -> None:
    agent.registered()
    cursor = agent.get("/operations?limit=1")["next_cursor"]
    query = f"/operations?cursor={cursor}"
    assert agent.get(query).status == 200
    assert agent.get(f"{query}&state=ready").is_problem(422, "invalid_payload")
    assert other_agent.get(query).is_problem(422, "invalid_payload")


def test_a_list_takes_the_same_few_queries_for_any_many(
    agent: ApiCaller, django_assert_max_num_queries: Any
) -> None:
    for _ in range(6):
        agent.marked()
    with django_assert_max_num_queries(16):
        assert len(agent.get("/operations")["items"]) == 6


def test_an_overdue_request_reads_expired_before_any_sweep(agent: ApiCaller) -> None:
    asked = agent.registered(kind="payment.refund", payload=REFUND)
    move_back(Operation.objects.get(), 7200)
    read = agent.read(asked)
    assert (read["state"], read["cause"], read["executed"]) == ("cancelled", "expired", False)
    assert (read["approval"]["status"], read["version"]) == ("expired", asked["version"])
    assert read["next_action"]["code"] == "submit_new"
    assert Approval.objects.get().status == "open"
    assert agent.get("/operations?state=awaiting_approval")["items"] == []
    assert [item["id"] for item in agent.get("/operations?state=cancelled")["items"]] == [
        asked["id"]
    ]


def test_an_unsent_request_can_be_withdrawn(agent: ApiCaller) -> None:
    operation = agent.registered()
    path = f"/operations/{operation['id']}/cancellation"
    answer = agent.post(path, {"version": operation["version"], "reason": "not needed"})
    assert (answer.status, answer["state"], answer["cause"]) == (200, "cancelled", "withdrawn")
    again = agent.post(path, {"version": answer["version"], "reason": "not needed"})
    assert again.is_problem(409, "choice_closed")


def test_a_withdrawal_needs_the_version_it_saw(agent: ApiCaller) -> None:
    operation = agent.registered()
    path = f"/operations/{operation['id']}/cancellation"
    answer = agent.post(path, {"version": 9, "reason": "not needed"})
    assert answer.is_problem(409, "stale_version")


def test_what_may_have_been_sent_is_not_withdrawn(agent: ApiCaller) -> None:
    operation, _ = agent.marked()
    version = agent.read(operation)["version"]
    path = f"/operations/{operation['id']}/cancellation"
    answer = agent.post(path, {"version": version, "reason": "not needed"})
    assert answer.is_problem(409, "choice_closed")


def test_an_unknown_outcome_says_when_the_receiver_is_asked(agent: ApiCaller) -> None:
    operation, _ = agent.marked()
    read = agent.read(operation)
    assert read["next_action"]["code"] == "wait_for_settlement"
    assert read["next_action"]["opens_at"] > read["attempts"][0]["marked_at"]


def test_the_handoff_needs_no_other_memory(agent: ApiCaller) -> None:
    operation, token = agent.marked(goal="restock shelf 4")
    agent.report(operation, token, payload={"sku": "vanilla", "quantity": 60})
    packet = agent.get(f"/operations/{operation['id']}/handoff")
    assert (packet["goal"], packet["state"]) == ("restock shelf 4", "sent_unknown")
    assert packet["payload"] == {"sku": "vanilla", "quantity": 6}
    assert [each["generation"] for each in packet["evidence"]["attempts"]] == [1]
    assert packet["evidence"]["receipts"][0]["differences"][0]["pointer"] == "/quantity"
    failures = [each["what"] for each in packet["known_failures"]]
    assert failures == ["response receipt mismatch", "review receipt_mismatch"]
    assert packet["next_action"]["code"] == "ask_person"


def test_the_handoff_of_an_open_attempt_says_so(agent: ApiCaller) -> None:
    operation, _ = agent.marked()
    failures = agent.get(f"/operations/{operation['id']}/handoff")["known_failures"]
    assert [each["what"] for each in failures] == ["attempt 1 open"]


@pytest.mark.parametrize("query", ["wait=31", "wait=-1", "wait=x", "wait=1&version=x", "wait=1.5"])
def test_a_wait_is_at_most_30_seconds(agent: ApiCaller, query: str) -> None:
    operation = agent.registered()
    answer = agent.get(f"/operations/{operation['id']}?{query}")
    assert answer.is_problem(422, "invalid_payload")


def test_a_wait_for_a_version_that_is_past_ends_at_once(agent: ApiCaller) -> None:
    operation, _ = agent.marked()
    began = time.monotonic()
    answer = agent.get(f"/operations/{operation['id']}?wait=30&version={operation['version']}")
    assert answer["state"] == "sent_unknown"
    assert time.monotonic() - began < 5


def test_a_wait_ends_with_its_time(agent: ApiCaller) -> None:
    operation = agent.registered()
    began = time.monotonic()
    answer = agent.get(f"/operations/{operation['id']}?wait=1&version={operation['version']}")
    assert answer["version"] == operation["version"]
    assert 1 <= time.monotonic() - began < 5


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
def test_a_wait_ends_with_the_next_version() -> None:
    agent = a_caller("agent-waits")
    operation = agent.registered()
    token = agent.claim(operation)["token"]
    seen: list[Any] = []

    def wait() -> None:
        try:
            path = f"/operations/{operation['id']}?wait=30&version={operation['version']}"
            seen.append(agent.get(path))
        finally:
            connection.close()

    waiter = threading.Thread(target=wait)
    began = time.monotonic()
    waiter.start()
    time.sleep(0.3)
    assert not seen
    agent.post(f"/operations/{operation['id']}/attempts", {"token": token})
    waiter.join()
    assert seen[0]["state"] == "sent_unknown"
    assert time.monotonic() - began < 10


def test_only_so_many_requests_wait_at_a_time(agent: ApiCaller) -> None:
    operation = agent.registered()
    waiting = Waiting(places=1)
    with waiting._place(), pytest.raises(RateLimited) as refused:
        waiting.until_version_changes(uuid.UUID(operation["id"]), 1, seconds=1)
    assert refused.value.members["retry_after_seconds"] == 2
    waiting.until_version_changes(uuid.UUID(operation["id"]), 7, seconds=1)
