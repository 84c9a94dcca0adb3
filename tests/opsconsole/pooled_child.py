"""Agents and people at a console whose database is reached through a pooler, in this process.

    python -m tests.opsconsole.pooled_child TOKEN APPROVER

Works through requests of every sort, several times over, and prints "done".
"""

import json
import sys
from typing import Any

ROUNDS = 5  # more often than a statement is run before a driver prepares it
REFUND = {"order": "A-1", "amount": "150.00", "currency": "EUR", "reason": "damaged"}
PAGES = ("/", "/operations/", "/approvals/", "/audit/", "/receipts/", "/receivers/")


def main(secret: str, approver: str) -> None:
    """The way of an order and of a refund, by HTTP requests to the whole application."""
    import django

    django.setup()
    from django.contrib.auth.models import User
    from django.test import Client
    from django.test.utils import setup_test_environment

    setup_test_environment()
    from operations.models import Approval
    from tests.browsing import Browser
    from tests.operations.api.caller import a_body, a_receipt
    from tests.operations.web.answering import LIST, press

    person = Browser(User.objects.get(username=approver))

    def call(path: str, body: Any = None, *, expects: int) -> Any:
        answer = Client().post(
            f"/api/v1/operations{path}",
            data=json.dumps(body or {}),
            content_type="application/json",
            headers={"Authorization": f"Bearer {secret}"},
        )
        assert answer.status_code == expects, answer.content
        return answer.json()

    def approve(operation: Any) -> Any:
        request = Approval.objects.get(operation=operation["id"])
        answer = press(person, person.get(LIST), request, "yes", reason="It is right.")
        assert answer.status_code == 303, answer.content
        return {**operation, "version": operation["version"] + 1}

    def send(operation: Any, **given: Any) -> None:
        path = f"/{operation['id']}"
        claim = {"holder": "w", "version": operation["version"], "lease_seconds": 30}
        token = call(f"{path}/claims", claim, expects=201)["token"]
        call(f"{path}/claims/{token}/renewal", expects=200)
        call(f"{path}/attempts", {"token": token}, expects=201)
        report = {"token": token, "receipt": a_receipt(operation, **given)}
        assert call(f"{path}/receipts", report, expects=200)["verdict"] == "confirmed"

    for _ in range(ROUNDS):
        send(call("", a_body(), expects=201))
        refund = call("", a_body(kind="payment.refund", payload=REFUND), expects=201)
        send(approve(refund), payload=REFUND)
        for page in (*PAGES, f"/operations/{refund['id']}/"):
            assert person.get(page).status_code == 200, page
    sys.stdout.write("done\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
