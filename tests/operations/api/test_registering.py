"""Registering: the same again observes, any difference is a conflict, and digits stay digits."""

import json
import uuid
from typing import Any

import pytest
from django.test import Client

from operations.models import Operation
from tests.operations.api.caller import VANILLA, ApiCaller, a_body

pytestmark = pytest.mark.django_db


def test_the_same_again_observes_the_same_operation(agent: ApiCaller) -> None:
    first = agent.registered()
    again = agent.register(key=first["key"], payload={"quantity": 6.0, "sku": "vanilla"})
    assert (again.status, again["id"]) == (200, first["id"])
    assert Operation.objects.count() == 1


@pytest.mark.parametrize(
    ("given", "pointer"),
    [
        ({"payload": {**VANILLA, "quantity": 7}}, "/payload/quantity"),
        ({"executor": "console"}, "/executor"),
        ({"reference": "A-1"}, "/reference"),
        ({"receiver": "manual"}, "/receiver"),
    ],
)
def test_another_request_under_the_key_is_key_reused(
    agent: ApiCaller, given: dict[str, Any], pointer: str
) -> None:
    first = agent.registered()
    answer = agent.register(key=first["key"], **given)
    assert answer.is_problem(409, "key_reused")
    assert [each["pointer"] for each in answer["differences"]] == [pointer]
    assert answer["operation"]["id"] == first["id"]


def test_another_agents_key_is_taken_and_nothing_more_is_said(
    agent: ApiCaller, other_agent: ApiCaller
) -> None:
    first = agent.registered()
    answer = other_agent.register(key=first["key"])
    assert answer.is_problem(409, "key_taken")
    assert first["id"] not in json.dumps(answer.json)
    assert not {"operation", "differences"} & answer.json.keys()


@pytest.mark.parametrize("key", ["", "x" * 201, "caf\u00e9", "tab\tkey", "line\n"])
def test_a_key_is_printable_ascii(agent: ApiCaller, key: str) -> None:
    answer = agent.register(key=key)
    assert answer.is_problem(400, "invalid_key")
    assert answer["field"] == "key"


@pytest.mark.parametrize(
    ("member", "code"),
    [
        ("kind", "unknown_kind"),
        ("receiver", "unknown_receiver"),
        ("environment", "unknown_environment"),
    ],
)
def test_an_unknown_word_names_the_known_ones(agent: ApiCaller, member: str, code: str) -> None:
    answer = agent.register(**{member: "nowhere"})
    assert answer.is_problem(422, code)
    assert (answer["field"], answer["got"]) == (member, "nowhere")
    assert answer["expected"]


@pytest.mark.parametrize(
    "given", [{"dry_run": True}, {"Key": "order-1"}, {"payload_digest": "0" * 64}]
)
def test_an_unknown_member_is_refused(agent: ApiCaller, given: dict[str, Any]) -> None:
    answer = agent.register(**given)
    assert answer.is_problem(422, "unknown_field")
    assert answer["field"] == next(iter(given))
    assert not Operation.objects.exists()


def test_an_unknown_query_parameter_is_refused(agent: ApiCaller) -> None:
    answer = agent.post("/operations?dry_run=1", a_body())
    assert answer.is_problem(422, "unknown_field")
    assert not Operation.objects.exists()


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"payload": {"sku": "vanilla"}}, "payload/quantity"),
        ({"payload": {**VANILLA, "quantity": True}}, "payload/quantity"),
        ({"payload": {**VANILLA, "quantity": "6"}}, "payload/quantity"),
        ({"payload": []}, "payload"),
        ({"kind": 7}, "kind"),
        ({"key": None}, "key"),
        ({"goal": ["x"]}, "goal"),
        ({"goal": "x" * 4001}, "goal"),
        ({"executor": "somebody"}, "executor"),
        ({"supersedes": "order-1"}, "supersedes"),
        ({"compensates": str(uuid.uuid4())}, "compensates"),
    ],
)
def test_a_wrong_value_names_its_field(agent: ApiCaller, given: dict[str, Any], field: str) -> None:
    answer = agent.register(**given)
    assert answer.is_problem(422, "invalid_payload")
    assert answer["field"].startswith(field)
    assert answer["expected"]
    assert answer["got"]


@pytest.mark.parametrize("body", [[], "text", 7, None, True])
def test_a_body_is_an_object(agent: ApiCaller, body: Any) -> None:
    assert agent.post("/operations", json.dumps(body)).is_problem(422, "invalid_payload")


def test_a_missing_member_is_named(agent: ApiCaller) -> None:
    body = a_body()
    del body["receiver"]
    answer = agent.post("/operations", body)
    assert answer.is_problem(422, "invalid_payload")
    assert (answer["field"], answer["got"]) == ("receiver", "missing")


def test_a_body_is_needed(agent: ApiCaller) -> None:
    assert agent.post("/operations").is_problem(422, "invalid_payload")


def test_numbers_come_back_digit_by_digit(agent: ApiCaller) -> None:
    text = '{"to":"a@example.com","subject":"s","body":"\u20ac"}'
    body = json.dumps(a_body(kind="customer.email", context=0)).replace(json.dumps(VANILLA), text)
    body = body.replace('"context": 0', '"context":{"big":12345678901234567890,"d":0.10,"e":1E5}')
    answer = agent.post("/operations", body)
    assert answer.status == 201
    read = Client().get(
        f"/api/v1/operations/{answer['id']}",
        headers={"Authorization": f"Bearer {agent.secret}"},
    )
    assert f'"payload":{text}'.encode() in read.content
    assert b'"context":{"big":12345678901234567890,"d":0.10,"e":1E5}' in read.content


def test_a_superseding_operation_waits_for_approval_and_is_linked(agent: ApiCaller) -> None:
    old = agent.registered()
    path = f"/operations/{old['id']}/cancellation"
    agent.post(path, {"version": old["version"], "reason": "wrong"})
    new = agent.registered(supersedes=old["id"].upper())
    assert new["state"] == "awaiting_approval"
    assert new["links"]["supersedes"] == old["id"]
    assert agent.read(old)["links"]["superseded_by"] == [new["id"]]


def test_superseding_an_open_operation_is_closed(agent: ApiCaller) -> None:
    old = agent.registered()
    assert agent.register(supersedes=old["id"]).is_problem(409, "choice_closed")


def test_a_large_refund_waits_and_asking_again_counts(agent: ApiCaller) -> None:
    payload = {"order": "A-1", "amount": "950.00", "currency": "EUR", "reason": "damaged"}
    given: dict[str, Any] = {"kind": "payment.refund", "payload": payload, "executor": "console"}
    asked = agent.registered(**given)
    assert (asked["state"], asked["executed"]) == ("awaiting_approval", False)
    assert asked["next_action"]["code"] == "wait_for_approval"
    again = agent.register(key=asked["key"], **given)
    assert again["approval"]["id"] == asked["approval"]["id"]
    assert (again["approval"]["asked_count"], again["approval"]["needed"]) == (2, 1)


def test_a_payload_may_have_one_mebibyte_and_no_more(agent: ApiCaller) -> None:
    def email(size: int) -> dict[str, Any]:
        return {"to": "a@b", "subject": "s", "body": "x" * size}

    answer = agent.register(kind="customer.email", payload=email(1_048_577))
    assert answer.is_problem(413, "too_large")
    assert (answer["field"], answer["expected"]) == ("payload", 1_048_576)
    # Within the size, the kind's own schema speaks.
    fits = agent.register(kind="customer.email", payload=email(1_048_000))
    assert fits.is_problem(422, "invalid_payload")


def test_a_body_beyond_every_limit_is_too_large(agent: ApiCaller) -> None:
    answer = agent.post("/operations", b'"' + b"x" * 3_000_000 + b'"')
    assert answer.is_problem(413, "too_large")
    assert answer["field"] == "body"
