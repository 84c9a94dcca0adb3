"""Messages that no console ever sent. At most they wake a sweep; none may end a worker."""

import base64
import json
import uuid
from collections.abc import Iterator
from typing import Any

DISPATCH = "operations.tasks.dispatch_operation"
RECONCILE = "reconciliation.tasks.reconcile_operation"
RECONCILE_DUE = "reconciliation.tasks.reconcile_due"
RAW = (
    b"",
    b"not json",
    b"\xff\xfe\x00garbage",
    b"null",
    b"[]",
    b"42",
    b'"text"',
    b"{}",
    b'{"body": "x"}',
    b'{"properties": {}}',
    b'{"properties": null, "body": "x"}',
    b'{"body": "!!", "properties": {"body_encoding": "base64", "delivery_tag": "x"}}',
    b'{"body": "x", "properties": {"body_encoding": "none such", "delivery_tag": "x"}}',
    b"[" * 20_000,
)


def forged_messages() -> Iterator[bytes]:
    """All of them, each once; the ids in them are new ones every time."""
    yield from RAW
    for task in (DISPATCH, RECONCILE, RECONCILE_DUE):
        for arguments in _arguments():
            yield message(task, arguments)
    for task in ("operations.tasks.confirm_everything", "os.system", "", None, 7):
        yield message(task, [str(uuid.uuid4())])
    for headers in _odd_headers():
        yield message(DISPATCH, [str(uuid.uuid4())], headers=headers)
    for body in (b"[[], {}", b"[]", b"null", b"\x80\x04\x95\x00"):
        yield message(DISPATCH, [str(uuid.uuid4())], body=body)
    for odd in _odd_envelopes():
        yield json.dumps({**json.loads(message(DISPATCH, [str(uuid.uuid4())])), **odd}).encode()


def message(
    task: Any,
    arguments: Any,
    *,
    headers: dict[str, Any] | None = None,
    body: bytes | None = None,
    **envelope: Any,
) -> bytes:
    """One message as Celery writes it, but for what is given."""
    text = json.dumps([arguments, {}, {}]).encode() if body is None else body
    own_id = str(uuid.uuid4())
    document = {
        "body": base64.b64encode(text).decode(),
        "content-encoding": "utf-8",
        "content-type": "application/json",
        "headers": {"lang": "py", "task": task, "id": own_id, "root_id": own_id, **(headers or {})},
        "properties": {
            "correlation_id": own_id,
            "delivery_mode": 2,
            "delivery_info": {"exchange": "", "routing_key": "dispatch"},
            "priority": 0,
            "body_encoding": "base64",
            "delivery_tag": str(uuid.uuid4()),
        },
        **envelope,
    }
    return json.dumps(document).encode()


def _arguments() -> list[Any]:
    one = str(uuid.uuid4())
    return [
        [one],
        [one, one],
        [],
        ["not an id"],
        [None],
        [{"id": one}],
        [["[" * 500]],
        ["x" * 1_000_000],
        ["'; DROP TABLE operations_operation; --"],
        {"operation_id": one},
        "text",
    ]


def _odd_headers() -> list[dict[str, Any]]:
    return [
        {"expires": "not a time"},
        {"expires": 7},
        {"eta": "not a time"},
        {"eta": "2999-01-01T00:00:00+00:00"},
        {"timelimit": ["long", "longer"]},
        {"retries": "many"},
        {"id": None},
        {"id": ["a", "list"]},
        {"lang": None},
        {"compression": "zlib"},
        {"compression": "none such"},
        {"callbacks": [{"task": DISPATCH, "args": ["x"]}]},
        {"callbacks": "none", "errbacks": 7, "chain": "x", "chord": {}},
        {"group": 7, "shadow": {}, "origin": [], "ignore_result": "?"},
    ]


def _odd_envelopes() -> list[dict[str, Any]]:
    return [
        {"content-type": "application/x-python-serialize"},
        {"content-type": "application/x-yaml"},
        {"content-type": None},
        {"content-encoding": "none such"},
        {"headers": None},
        {"headers": []},
        {"headers": {}},
        {"headers": {"task": DISPATCH}},
        {"headers": {"id": str(uuid.uuid4())}},
        {"properties": {}},
    ]
