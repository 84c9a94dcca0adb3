"""An agent as it meets the API: paths, JSON bodies and answers, nothing of ours in between."""

import json
import uuid
from dataclasses import dataclass
from typing import Any

from django.test import Client

from operations.actions.create_token import create_token
from operations.actors import Actor
from operations.models import ApiToken
from tests.build import a_person

VANILLA = {"sku": "vanilla", "quantity": 6}


@dataclass(frozen=True)
class Answer:
    """One answer; `json` is its value, empty for a body that is none."""

    status: int
    json: Any
    kind: str
    headers: Any

    def __getitem__(self, name: str) -> Any:
        return self.json[name]

    def is_problem(self, status: int, code: str) -> bool:
        """A problem document with all that the contract asks for."""
        has_words = self.json.get("detail") and self.json.get("remedy")
        return bool(
            (self.status, self.json.get("code")) == (status, code)
            and has_words
            and self.kind == "application/problem+json"
        )


@dataclass(frozen=True)
class ApiCaller:
    """One agent's token, and the calls of the contract."""

    token: ApiToken
    secret: str

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Bytes and text go out as they are, anything else as JSON."""
        data = body if isinstance(body, bytes | str) else json.dumps(body)
        sent: dict[str, Any] = {"HTTP_AUTHORIZATION": f"Bearer {self.secret}", **headers}
        options = {} if body is None else {"data": data, "content_type": "application/json"}
        response = Client().generic(method, f"/api/v1{path}", **options, **sent)
        kind = response.headers.get("Content-Type", "")
        value = json.loads(response.content) if "json" in kind else {}
        return Answer(response.status_code, value, kind, response.headers)

    def get(self, path: str) -> Answer:
        return self.call("GET", path)

    def post(self, path: str, body: Any = None) -> Answer:
        return self.call("POST", path, body)

    def register(self, **given: Any) -> Answer:
        """A supplier order in production, with `given` on top."""
        return self.post("/operations", a_body(**given))

    def registered(self, **given: Any) -> dict[str, Any]:
        answer = self.register(**given)
        assert answer.status == 201, answer
        return answer.json

    def claim(self, operation: dict[str, Any], **given: Any) -> Answer:
        body = {"holder": "worker", "version": operation["version"], "lease_seconds": 30, **given}
        return self.post(f"/operations/{operation['id']}/claims", body)

    def marked(self, **given: Any) -> tuple[dict[str, Any], int]:
        """An operation whose send may leave now, and the token it was marked under."""
        operation = self.registered(**given)
        token = self.claim(operation)["token"]
        answer = self.post(f"/operations/{operation['id']}/attempts", {"token": token})
        assert answer.status == 201, answer
        return operation, token

    def report(self, operation: dict[str, Any], token: int | None, **given: Any) -> Answer:
        """A matching receipt, with `given` on top."""
        body = {"token": token, "receipt": a_receipt(operation, **given)}
        return self.post(f"/operations/{operation['id']}/receipts", body)

    def read(self, operation: dict[str, Any]) -> dict[str, Any]:
        answer = self.get(f"/operations/{operation['id']}")
        assert answer.status == 200, answer
        return answer.json


def a_body(**given: Any) -> dict[str, Any]:
    return {
        "key": f"order-{uuid.uuid4()}",
        "kind": "supplier.order",
        "receiver": "sandbox",
        "environment": "production",
        "payload": VANILLA,
        **given,
    }


def a_receipt(operation: dict[str, Any], **given: Any) -> dict[str, Any]:
    return {
        "operation_id": operation["key"],
        "payload": VANILLA,
        "status": "confirmed",
        "effect_id": f"eff-{uuid.uuid4()}",
        **given,
    }


def a_caller(agent_name: str, **scope: Any) -> ApiCaller:
    """An agent of that name with a fresh token."""
    made = create_token(
        actor=Actor.system("tests"),
        agent_name=agent_name,
        owner=scope.pop("owner", None) or a_person(),
        expires_at=scope.pop("expires_at", None),
        **scope,
    )
    return ApiCaller(token=made.token, secret=made.secret)
