"""A bad request gets a JSON error with a code and a sentence, and makes no effect."""

import json
import socket

import httpx
import pytest

from reconciliation.sandbox.process import SandboxProcess

ORDER = {"operation_id": "bad", "payload": {"quantity": 1}}
KEY = {"Idempotency-Key": "bad-key"}


def error_of(answer: httpx.Response) -> tuple[int, str]:
    """Status and code, after a look at the sentence."""
    error = answer.json()["error"]
    assert error["detail"]
    return answer.status_code, error["code"]


def test_an_order_without_a_key_is_refused_and_counted(sandbox: SandboxProcess, name: str) -> None:
    answer = sandbox.call("POST", "/orders", {**ORDER, "operation_id": name})

    assert error_of(answer) == (400, "missing_idempotency_key")
    assert sandbox.ledger(name) == {"requests": 1, "effects": []}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "malformed_json"),
        (b'{"operation_id": ', "malformed_json"),
        (b'{"operation_id":"a","operation_id":"b","payload":1}', "malformed_json"),
        (b'{"operation_id":"bad","payload":NaN}', "malformed_json"),
        (b'{"operation_id":"bad","payload":1e400}', "malformed_json"),
        (b'{"operation_id":"bad","payload":"\\u0000"}', "malformed_json"),
        (b'{"operation_id":"bad","payload":"\\ud800"}', "malformed_json"),
        (b'{"operation_id":"bad","payload":' + b"[" * 5000 + b"]" * 5000 + b"}", "malformed_json"),
        (b'{"operation_id":"bad","payload":"\xff"}', "malformed_json"),
        (b"[]", "invalid_body"),
        (b'{"operation_id":"bad"}', "invalid_body"),
        (b'{"operation_id":"bad","payload":1,"dry_run":true}', "invalid_body"),
        (b'{"payload":1}', "invalid_operation_id"),
        (b'{"operation_id":7,"payload":1}', "invalid_operation_id"),
        (b'{"operation_id":"caf\\u00e9","payload":1}', "invalid_operation_id"),
        (json.dumps({"operation_id": "a" * 201, "payload": 1}).encode(), "invalid_operation_id"),
    ],
)
def test_a_bad_order_is_refused(sandbox: SandboxProcess, body: bytes, code: str) -> None:
    answer = httpx.post(f"{sandbox.url}/orders", content=body, headers=KEY, trust_env=False)

    assert error_of(answer) == (400, code)
    assert sandbox.ledger("bad")["effects"] == []


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"operation_id": "bad", "fault": "burn_down"}, "unknown_fault"),
        ({"operation_id": "bad"}, "unknown_fault"),
        ({"fault": "hang"}, "invalid_operation_id"),
        ({"operation_id": "bad", "fault": "hang", "seconds": -1}, "invalid_seconds"),
        ({"operation_id": "bad", "fault": "hang", "seconds": "5"}, "invalid_seconds"),
        ({"operation_id": "bad", "fault": "hang", "seconds": True}, "invalid_seconds"),
        ({"operation_id": "bad", "fault": "change_payload", "seconds": 1}, "invalid_seconds"),
        ({"operation_id": "bad", "fault": "hang", "times": 0}, "invalid_times"),
        ({"operation_id": "bad", "fault": "hang", "times": 1.5}, "invalid_times"),
        ({"operation_id": "bad", "fault": "hang", "when": "now"}, "unknown_member"),
        (["hang"], "invalid_body"),
    ],
)
def test_a_bad_fault_is_refused(sandbox: SandboxProcess, body: object, code: str) -> None:
    assert error_of(sandbox.call("POST", "/faults", body)) == (400, code)


def test_a_webhook_fault_needs_an_address(own_sandbox: SandboxProcess, name: str) -> None:
    answer = own_sandbox.call("POST", "/faults", {"operation_id": name, "fault": "webhook_late"})

    assert error_of(answer) == (400, "no_webhook_url")


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/orders?page=0", (400, "invalid_page")),
        ("GET", "/orders?page=two", (400, "invalid_page")),
        ("GET", "/orders?limit=5", (400, "unknown_parameter")),
        ("GET", "/nowhere", (404, "unknown_path")),
        ("DELETE", "/orders/bad", (404, "unknown_path")),
        ("GET", "/ledger/", (404, "unknown_path")),
        ("GET", "/orders/caf%C3%A9", (400, "invalid_operation_id")),
    ],
)
def test_a_bad_address_is_refused(
    sandbox: SandboxProcess, method: str, path: str, expected: tuple[int, str]
) -> None:
    assert error_of(sandbox.call(method, path)) == expected


def test_an_unknown_path_is_never_taken_for_a_missing_order(sandbox: SandboxProcess) -> None:
    assert sandbox.call("GET", "/order/bad").json()["error"] != "not_found"


@pytest.mark.parametrize("environment", ["../production", "Production", "a" * 64, "a b"])
def test_an_environment_is_a_plain_name(sandbox: SandboxProcess, environment: str) -> None:
    answer = sandbox.call("POST", "/orders", ORDER, KEY, environment=environment)

    assert error_of(answer) == (400, "invalid_environment")


def test_a_body_over_two_mebibytes_is_refused_with_an_answer(
    sandbox: SandboxProcess, name: str
) -> None:
    most = 2 * 1024 * 1024
    frame = len(json.dumps({"operation_id": name, "payload": ""}, separators=(",", ":")))

    fits = sandbox.post_order(name, "x" * (most - frame), timeout=30)
    over = sandbox.post_order(f"{name}-b", "x" * (most - frame), timeout=30)

    assert fits.status_code == 200
    assert error_of(over) == (413, "too_large")
    assert sandbox.ledger(f"{name}-b") == {"requests": 0, "effects": []}


@pytest.mark.parametrize(
    "header", ["Transfer-Encoding: chunked", "Content-Length: x", "Content-Length: -1", "Accept: *"]
)
def test_a_body_of_unknown_length_is_refused(sandbox: SandboxProcess, header: str) -> None:
    answer = exchange(sandbox, f"POST /orders HTTP/1.1\r\nHost: x\r\n{header}\r\n\r\n".encode())

    assert answer.startswith(b"HTTP/1.1 411")
    assert b'"code":"length_required"' in answer


def test_a_sender_that_dies_inside_its_body_is_not_counted(
    sandbox: SandboxProcess, name: str
) -> None:
    body = json.dumps({"operation_id": name, "payload": 1}).encode()
    head = f"POST /orders HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body) + 1}\r\n\r\n".encode()

    answer = exchange(sandbox, head + body)

    assert answer.startswith(b"HTTP/1.1 400")
    assert sandbox.ledger(name) == {"requests": 0, "effects": []}


def test_a_body_where_none_belongs_does_not_spoil_the_next_request(
    sandbox: SandboxProcess, name: str
) -> None:
    path = f"/ledger/{name}"
    first = f"GET {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
    second = f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n"

    answer = exchange(sandbox, (first + second).encode())

    assert answer.count(b"HTTP/1.1 200 OK") == 2


def test_what_is_not_http_gets_a_json_error(sandbox: SandboxProcess) -> None:
    answer = exchange(sandbox, b"BREW /orders HTTP/1.1\r\nHost: x\r\n\r\n")

    assert b'"code":"bad_http"' in answer


def exchange(sandbox: SandboxProcess, sent: bytes) -> bytes:
    """Send bytes, say that no more will come, and read to the end."""
    with socket.create_connection(("127.0.0.1", sandbox.port), timeout=10) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        received = b""
        while more := connection.recv(65_536):
            received += more
    return received
