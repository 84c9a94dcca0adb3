"""The document at /openapi.json: it names every call, and answers are as it says."""

from typing import Any

import pytest
from django.test import Client
from jsonschema import Draft202012Validator

from operations.api.problems import problem
from operations.protocol.refusals import OverCeiling, OwnRequest
from tests.operations.api.caller import Answer, ApiCaller, a_receipt

pytestmark = pytest.mark.django_db
OPERATIONS = "/api/v1/operations"
ONE = f"{OPERATIONS}/{{operation_id}}"
CALLS = {
    ("post", OPERATIONS),
    ("get", OPERATIONS),
    ("get", ONE),
    ("get", f"{ONE}/handoff"),
    ("post", f"{ONE}/claims"),
    ("post", f"{ONE}/claims/{{token}}/renewal"),
    ("delete", f"{ONE}/claims/{{token}}"),
    ("post", f"{ONE}/attempts"),
    ("post", f"{ONE}/receipts"),
    ("post", f"{ONE}/refusals"),
    ("post", f"{ONE}/attempts/{{generation}}/end"),
    ("post", f"{ONE}/lookups"),
    ("post", f"{ONE}/cancellation"),
}


@pytest.fixture
def document(db: None) -> dict[str, Any]:
    response = Client().get("/api/v1/openapi.json")
    assert response.status_code == 200
    value: dict[str, Any] = response.json()
    return value


def test_it_names_every_call_of_the_contract(document: dict[str, Any]) -> None:
    paths = document["paths"]
    assert {(method, path) for path in paths for method in paths[path]} == CALLS


def test_problems_have_their_own_media_type(document: dict[str, Any]) -> None:
    for methods in document["paths"].values():
        for details in methods.values():
            assert list(details["responses"]["409"]["content"]) == ["application/problem+json"]
            assert details["security"] == [{"BearerToken": []}]


def test_bodies_take_no_other_members(document: dict[str, Any]) -> None:
    bodies = [
        schema for name, schema in document["components"]["schemas"].items() if "Body" in name
    ]
    assert len(bodies) == 7
    assert all(body["additionalProperties"] is False for body in bodies)


def test_answers_are_as_the_document_says(agent: ApiCaller, document: dict[str, Any]) -> None:
    registered = agent.register()
    operation = registered.json
    path = f"/operations/{operation['id']}"
    claimed = agent.claim(operation)
    token = claimed["token"]
    renewed = agent.post(f"{path}/claims/{token}/renewal")
    marked = agent.post(f"{path}/attempts", {"token": token})
    again = agent.post(f"{path}/attempts", {"token": token})
    looked = agent.post(f"{path}/lookups")
    body = {"token": token, "outcome": "unknown", "detail": "reset"}
    ended = agent.post(f"{path}/attempts/1/end", body)
    reported = agent.post(f"{path}/receipts", {"token": token, "receipt": a_receipt(operation)})
    for method, address, answer in (
        ("post", OPERATIONS, registered),
        ("post", f"{ONE}/claims", claimed),
        ("post", f"{ONE}/claims/{{token}}/renewal", renewed),
        ("post", f"{ONE}/attempts", marked),
        ("post", f"{ONE}/attempts", again),
        ("post", f"{ONE}/lookups", looked),
        ("post", f"{ONE}/attempts/{{generation}}/end", ended),
        ("post", f"{ONE}/receipts", reported),
        ("get", ONE, agent.get(path)),
        ("get", f"{ONE}/handoff", agent.get(f"{path}/handoff")),
        ("get", OPERATIONS, agent.get("/operations")),
    ):
        _assert_described(document, method, address, answer)


def _assert_described(document: dict[str, Any], method: str, path: str, answer: Answer) -> None:
    response = document["paths"][path][method]["responses"][str(answer.status)]
    schema = response["content"][answer.kind]["schema"]
    validator = Draft202012Validator({**schema, "components": document["components"]})
    assert [error.message for error in validator.iter_errors(answer.json)] == [], (method, path)


@pytest.mark.parametrize("path", ["", "/", "/nope", "/operations/", "/docs", "/operations/x/y/z"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_unknown_address_is_a_problem_document(agent: ApiCaller, method: str, path: str) -> None:
    answer = agent.call(method, path)
    assert answer.is_problem(404, "not_found")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"])
def test_an_unknown_method_names_the_known_ones(agent: ApiCaller, method: str) -> None:
    response = Client().generic(method, "/api/v1/operations")
    assert (response.status_code, response["Allow"]) == (405, "GET, POST")
    assert response["Content-Type"] == "application/problem+json"


def test_nothing_on_the_way_may_keep_an_answer(agent: ApiCaller) -> None:
    assert agent.get("/operations").headers["Cache-Control"] == "no-store"
    assert agent.get("/operations/x").headers["Cache-Control"] == "no-store"


def test_a_problem_carries_the_request_id_of_the_trail(agent: ApiCaller) -> None:
    answer = agent.call("GET", "/operations/x", HTTP_X_REQUEST_ID="trace-0001")
    assert answer["request_id"] == answer.headers["X-Request-ID"] == "trace-0001"


@pytest.mark.parametrize(
    ("refusal", "status", "code"),
    [
        (OverCeiling(ceiling="orders an hour", expected=10, got=11), 409, "over_ceiling"),
        (OwnRequest(got="the requester"), 403, "own_request"),
    ],
)
def test_refusals_of_other_paths_read_the_same(
    rf: Any, refusal: Any, status: int, code: str
) -> None:
    """No call of an agent gets as far as these today; their form is fixed all the same."""
    response = problem(rf.get("/api/v1/operations"), refusal)
    assert response.status_code == status
    assert f'"code":"{code}"'.encode() in response.content
