"""Reports over HTTP: what is kept, what confirms, and what is refused but never lost."""

from typing import Any

import pytest
from pytest_django.fixtures import Settings

from operations.models import AttemptEnd, Operation, Receipt
from tests.build import move_back
from tests.kinds import ANYTHING, allow_anything
from tests.operations.api.caller import VANILLA, ApiCaller, a_receipt

pytestmark = pytest.mark.django_db


def test_the_same_receipt_again_changes_nothing(agent: ApiCaller) -> None:
    operation, token = agent.marked()
    body = {"token": token, "receipt": a_receipt(operation)}
    path = f"/operations/{operation['id']}/receipts"
    first, again = agent.post(path, body), agent.post(path, body)
    assert (first["verdict"], again["verdict"]) == ("confirmed", "already_confirmed")
    assert first["operation"]["grade"] == "receipt, reported"


@pytest.mark.parametrize(
    ("given", "pointer"),
    [
        ({"payload": {**VANILLA, "quantity": 60}}, "/quantity"),
        ({"payload": {**VANILLA, "quantity": True}}, "/quantity"),
        ({"payload": {**VANILLA, "note": None}}, "/note"),
        ({"operation_id": "order-of-someone"}, "operation_id"),
        ({"environment": "staging"}, "environment"),
    ],
)
def test_a_mismatch_is_kept_and_refused(
    agent: ApiCaller, given: dict[str, Any], pointer: str
) -> None:
    operation, token = agent.marked()
    answer = agent.report(operation, token, **given)
    assert answer.is_problem(422, "receipt_mismatch")
    assert [each["pointer"] for each in answer["differences"]] == [pointer]
    assert answer["operation"]["state"] == "sent_unknown"
    assert answer["operation"]["open_reviews"] == ["receipt_mismatch"]
    assert Receipt.objects.get().verdict == "mismatch"


@pytest.mark.parametrize(
    "payload",
    [
        {"quantity": True, "note": None},
        {"quantity": "1", "note": None},
        {"quantity": 1},
        {"quantity": 1, "note": False},
    ],
)
def test_true_a_number_as_text_and_a_missing_null_are_other_payloads(
    agent: ApiCaller, settings: Settings, payload: dict[str, Any]
) -> None:
    """Case 14: none of them is equal to what was sent, though Python's == may say so."""
    allow_anything(settings)
    sent = {"quantity": 1, "note": None}
    operation, token = agent.marked(kind=ANYTHING, payload=sent)
    answer = agent.report(operation, token, payload=payload)
    assert answer.is_problem(422, "receipt_mismatch")
    assert len(answer["differences"]) == 1
    assert answer["operation"]["state"] == "sent_unknown"
    operation, token = agent.marked(kind=ANYTHING, payload=sent)
    assert agent.report(operation, token, payload=sent)["verdict"] == "confirmed"


@pytest.mark.parametrize("given", [{"status": "pending"}, {"effect_id": None}])
def test_pending_and_nameless_receipts_prove_nothing(
    agent: ApiCaller, given: dict[str, Any]
) -> None:
    operation, token = agent.marked()
    answer = agent.report(operation, token, **given)
    assert (answer.status, answer["verdict"], answer["state"]) == (200, "not_proof", "sent_unknown")


def test_confirmed_true_is_read_as_status_confirmed(agent: ApiCaller) -> None:
    operation, token = agent.marked()
    receipt = {**a_receipt(operation), "confirmed": True}
    del receipt["status"]
    path = f"/operations/{operation['id']}/receipts"
    assert agent.post(path, {"token": token, "receipt": receipt})["verdict"] == "confirmed"


@pytest.mark.parametrize(
    ("receipt", "field"),
    [
        (None, "receipt"),
        ("ok", "receipt"),
        ([], "receipt"),
        ({}, "receipt/operation_id"),
        ({"operation_id": 7, "status": "confirmed"}, "receipt/operation_id"),
        ({"operation_id": "k", "status": "done"}, "receipt/status"),
        ({"operation_id": "k", "confirmed": 1}, "receipt/confirmed"),
        ({"operation_id": "k", "status": "pending", "occurred_at": "soon"}, "receipt/occurred_at"),
        ({"operation_id": "k", "status": "pending", "effect_id": "x" * 9999}, "receipt/effect_id"),
    ],
)
def test_a_malformed_receipt_names_its_field(agent: ApiCaller, receipt: Any, field: str) -> None:
    operation, token = agent.marked()
    body = {"token": token, "receipt": receipt}
    answer = agent.post(f"/operations/{operation['id']}/receipts", body)
    assert answer.is_problem(422, "invalid_payload")
    assert answer["field"] == field
    assert not Receipt.objects.exists()


def test_a_report_under_a_claim_given_back_is_kept_and_changes_nothing(agent: ApiCaller) -> None:
    operation, token = agent.marked()
    agent.call("DELETE", f"/operations/{operation['id']}/claims/{token}")
    answer = agent.report(operation, token)
    assert answer.is_problem(409, "stale_claim")
    assert answer["operation"]["state"] == "sent_unknown"
    receipt = agent.read(operation)["receipts"][0]
    assert (receipt["verdict"], receipt["is_stale"]) == ("kept", True)


def test_a_report_after_the_lease_still_counts(agent: ApiCaller) -> None:
    operation, token = agent.marked()
    move_back(Operation.objects.get(), 60)
    assert agent.report(operation, token)["verdict"] == "confirmed"


def test_odd_text_of_a_receiver_is_kept_escaped(agent: ApiCaller) -> None:
    operation, token = agent.marked()
    body = (
        f'{{"token":{token},"raw":"\\u0000 and \\ud800","receipt":{{"operation_id":'
        f'"{operation["key"]}","status":"pending","payload":{{"a\\u0000b":"\\udfff"}}}}}}'
    )
    answer = agent.post(f"/operations/{operation['id']}/receipts", body)
    assert answer.is_problem(422, "receipt_mismatch")
    kept = Receipt.objects.get()
    assert bytes(kept.raw) == rb"\x00 and \ud800"
    assert agent.read(operation)["receipts"][0]["payload"] == {"a\x00b": "\udfff"}


def test_numbers_of_a_receipt_are_kept_digit_by_digit(agent: ApiCaller) -> None:
    operation, token = agent.marked()
    body = (
        f'{{"token":{token},"receipt":{{"operation_id":"{operation["key"]}","status":"confirmed",'
        '"effect_id":"e-1","payload":{"sku":"vanilla","quantity":6.000}}}'
    )
    assert agent.post(f"/operations/{operation['id']}/receipts", body)["verdict"] == "confirmed"
    assert Receipt.objects.get().payload_text == '{"sku":"vanilla","quantity":6.000}'


def refusal(agent: ApiCaller, operation: dict[str, Any], token: int | None, **given: Any) -> Any:
    body = {"token": token, "status": 422, "code": "order_refused", "raw": "no", **given}
    return agent.post(f"/operations/{operation['id']}/refusals", body)


def test_a_definite_refusal_settles(agent: ApiCaller) -> None:
    operation, token = agent.marked()
    answer = refusal(agent, operation, token)
    assert (answer.status, answer["state"], answer["verdict"]) == (200, "refused", "kept")
    assert answer["operation"]["next_action"]["code"] == "submit_new"
    assert bytes(AttemptEnd.objects.get().raw) == b"no"


def test_any_other_no_is_evidence(agent: ApiCaller) -> None:
    operation, token = agent.marked()
    assert refusal(agent, operation, token, code="out_of_stock")["state"] == "sent_unknown"


def test_duplicate_is_never_a_refusal(agent: ApiCaller) -> None:
    operation, token = agent.marked()
    answer = refusal(agent, operation, token, status=409, code="duplicate")
    assert answer["state"] == "sent_unknown"
    assert answer["operation"]["open_reviews"] == ["duplicate_answer"]


def test_a_refusal_before_the_mark_is_not_taken(agent: ApiCaller) -> None:
    operation = agent.registered()
    token = agent.claim(operation)["token"]
    assert refusal(agent, operation, token).is_problem(409, "not_claimable")


def end(
    agent: ApiCaller, operation: dict[str, Any], token: int, number: Any = 1, **given: Any
) -> Any:
    body = {"token": token, "outcome": "unknown", "detail": "connection reset", **given}
    return agent.post(f"/operations/{operation['id']}/attempts/{number}/end", body)


@pytest.mark.parametrize("outcome", ["unknown", "not_sent"])
def test_an_end_closes_the_attempt_and_leaves_the_state(agent: ApiCaller, outcome: str) -> None:
    operation, token = agent.marked()
    answer = end(agent, operation, token, outcome=outcome)
    assert (answer.status, answer["state"]) == (200, "sent_unknown")
    read = agent.read(operation)
    assert (read["attempts"][0]["end"]["outcome"], read["claim"]) == (outcome, None)


def test_the_first_end_counts(agent: ApiCaller) -> None:
    operation, token = agent.marked()
    end(agent, operation, token, outcome="not_sent")
    assert end(agent, operation, token, outcome="unknown").status == 200
    assert agent.read(operation)["attempts"][0]["end"]["outcome"] == "not_sent"


@pytest.mark.parametrize("number", [2, 0, -1, "x", 10**30, "1" * 5000])
def test_an_attempt_that_there_is_not_is_not_found(agent: ApiCaller, number: Any) -> None:
    operation, token = agent.marked()
    assert end(agent, operation, token, number).is_problem(404, "not_found")


def test_an_end_is_unknown_or_not_sent(agent: ApiCaller) -> None:
    operation, token = agent.marked()
    answer = end(agent, operation, token, outcome="receipt")
    assert answer.is_problem(422, "invalid_payload")
    assert (answer["field"], answer["expected"]) == ("outcome", "unknown or not_sent")


def test_a_lookup_can_be_asked_for(agent: ApiCaller) -> None:
    operation, _ = agent.marked()
    answer = agent.post(f"/operations/{operation['id']}/lookups")
    assert (answer.status, answer["state"]) == (202, "sent_unknown")


def test_there_is_no_lookup_where_the_receiver_has_none(agent: ApiCaller) -> None:
    operation, _ = agent.marked(receiver="manual")
    answer = agent.post(f"/operations/{operation['id']}/lookups")
    assert answer.is_problem(409, "no_lookup")


def test_a_lookup_before_the_mark_is_not_claimable(agent: ApiCaller) -> None:
    operation = agent.registered()
    assert agent.post(f"/operations/{operation['id']}/lookups").is_problem(409, "not_claimable")
