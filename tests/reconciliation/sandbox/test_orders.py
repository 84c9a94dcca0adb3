"""Orders without any fault: one effect under one key, counted, found, listed."""

import json
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from reconciliation.sandbox.process import SandboxProcess


def test_an_order_is_answered_with_its_receipt(sandbox: SandboxProcess, name: str) -> None:
    answer = sandbox.post_order(name, {"sku": "vanilla", "quantity": 6})

    receipt = answer.json()
    assert answer.status_code == 200
    assert receipt["operation_id"] == name
    assert receipt["payload"] == {"sku": "vanilla", "quantity": 6}
    assert (receipt["status"], receipt["confirmed"]) == ("confirmed", True)
    assert receipt["environment"] == "production"
    assert receipt["occurred_at"].endswith("Z")
    assert sandbox.ledger(name) == {"requests": 1, "effects": [receipt["effect_id"]]}
    assert sandbox.order(name).json() == receipt


def test_the_same_key_again_gets_the_same_receipt_and_no_effect(
    sandbox: SandboxProcess, name: str
) -> None:
    first = sandbox.post_order(name, {"a": 1, "b": 2})
    again = sandbox.post_order(name, {"b": 2.0, "a": 1})

    assert again.json() == first.json()
    assert sandbox.ledger(name) == {"requests": 2, "effects": [first.json()["effect_id"]]}


@pytest.mark.parametrize("changed", [{"quantity": 7}, {"quantity": True}, {"quantity": "6"}, {}])
def test_the_same_key_with_another_payload_is_refused(
    sandbox: SandboxProcess, name: str, changed: dict[str, object]
) -> None:
    sandbox.post_order(name, {"quantity": 6})

    answer = sandbox.post_order(name, changed)

    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == "idempotency_key_reused"
    assert len(sandbox.ledger(name)["effects"]) == 1
    assert sandbox.order(name).json()["payload"] == {"quantity": 6}


def test_the_same_key_for_another_operation_is_refused(sandbox: SandboxProcess, name: str) -> None:
    sandbox.post_order(name, key=f"key-{name}")

    answer = sandbox.post_order(f"{name}-b", key=f"key-{name}")

    assert answer.status_code == 422
    assert sandbox.ledger(f"{name}-b") == {"requests": 1, "effects": []}


def test_another_key_for_the_same_operation_makes_a_second_effect(
    sandbox: SandboxProcess, name: str
) -> None:
    first = sandbox.post_order(name).json()["effect_id"]
    second = sandbox.post_order(name, key="another-" + name).json()["effect_id"]

    assert sandbox.ledger(name) == {"requests": 2, "effects": [first, second]}
    assert sandbox.order(name).json()["effect_id"] == second


def test_environments_are_stores_apart(sandbox: SandboxProcess, name: str) -> None:
    produced = sandbox.post_order(name).json()
    staged = sandbox.post_order(name, {"quantity": 1}, environment="staging").json()

    assert staged["environment"] == "staging"
    assert staged["effect_id"] != produced["effect_id"]
    assert sandbox.ledger(name)["effects"] == [produced["effect_id"]]
    assert sandbox.ledger(name, environment="staging")["effects"] == [staged["effect_id"]]
    assert sandbox.order(name).json()["payload"] == {"sku": "vanilla", "quantity": 6}


def test_fifty_posts_at_once_make_one_effect_and_are_all_counted(
    sandbox: SandboxProcess, name: str
) -> None:
    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(lambda _: sandbox.post_order(name, timeout=30), range(50)))

    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["effect_id"] for answer in answers}) == 1
    ledger = sandbox.ledger(name)
    assert (ledger["requests"], len(ledger["effects"])) == (50, 1)


def test_numbers_come_back_as_they_were_written(sandbox: SandboxProcess, name: str) -> None:
    payload = (
        '{"ref":9007199254740993,"a":0.10,"big":1e300,"zero":-0,"wide":1.00000000000000000001}'
    )
    body = f'{{"operation_id":"{name}","payload":{payload}}}'
    headers = {"Idempotency-Key": name, "Content-Type": "application/json"}

    answer = httpx.post(f"{sandbox.url}/orders", content=body, headers=headers, trust_env=False)

    assert f'"payload":{payload}' in answer.text
    assert f'"payload":{payload}' in sandbox.order(name).text


@pytest.mark.parametrize("odd", [".", "..", "a/b", "a b", "9%", "q?x=1#y", "a+&c", "%2F", "~'\""])
def test_any_printable_ascii_is_an_operation_id(
    sandbox: SandboxProcess, name: str, odd: str
) -> None:
    sandbox.post_order(odd, key=name)

    assert sandbox.order(odd).json()["operation_id"] == odd
    assert len(sandbox.ledger(odd)["effects"]) == 1


def test_an_order_that_never_came_is_exactly_not_found(sandbox: SandboxProcess, name: str) -> None:
    answer = sandbox.order(name)

    assert answer.status_code == 404
    assert json.loads(answer.text) == {"error": "not_found", "operation_id": name}
    assert sandbox.ledger(name) == {"requests": 0, "effects": []}


def test_the_list_is_paged_and_complete(sandbox: SandboxProcess) -> None:
    environment = "listing"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: sandbox.post_order(f"o{n}", environment=environment), range(205)))

    pages = [
        sandbox.call("GET", f"/orders?page={page}", environment=environment).json()
        for page in (1, 2, 3, 4)
    ]

    assert [len(page["orders"]) for page in pages] == [100, 100, 5, 0]
    assert {(page["total"], page["total_pages"], page["page_size"]) for page in pages} == {
        (205, 3, 100)
    }
    found = [order["operation_id"] for page in pages for order in page["orders"]]
    assert sorted(found) == sorted(f"o{n}" for n in range(205))
    first = sandbox.call("GET", "/orders", environment=environment).json()
    assert first == pages[0]
