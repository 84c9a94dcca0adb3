"""The product under test: its HTTP API for agents, its actions for people, its real receiver."""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from django.db import connection
from django.db.models import Max
from django.test import Client

from operations.api.representation import operation_members
from operations.models import Approval, AttemptEnd, Operation
from operations.protocol.choices import Choice, choices
from operations.protocol.refusals import Refusal
from operations.protocol.states import ApprovalSubject
from operations.queries.operation_records import records_of
from tests.campaigns.stateful.cast import VIEWER, Cast
from tests.campaigns.stateful.places import ENVIRONMENT
from tests.database import as_superuser
from tests.operations.api.caller import Answer
from tests.signing import signed

# Every instant that anything is judged by, by table.
INSTANTS = {
    "operations_operation": (
        *("created_at", "updated_at", "state_since", "next_try_at", "could_not_ask_since"),
        *("claim_taken_at", "claim_expires_at", "review_taken_at", "review_expires_at"),
    ),
    "operations_attempt": ("marked_at", "send_deadline_at"),
    "operations_attemptend": ("at",),
    "operations_sendergone": ("at",),
    "operations_lookup": ("asked_at", "answered_at"),
    "operations_claim": ("taken_at", "expires_at", "ended_at"),
    "operations_approval": ("opened_at", "expires_at", "valid_until", "decided_at"),
    "operations_approvaldecision": ("at",),
    "operations_receipt": ("received_at",),
    "operations_review": ("opened_at", "closed_at"),
}


def code_of(answer: Answer) -> str:
    """The code of a refusal, "" for anything below 400."""
    return str(answer.json["code"]) if answer.status >= 400 else ""


class Product:
    """One story's operations in it, by key."""

    def __init__(self, cast: Cast) -> None:
        self.cast = cast
        self.webhooks = 0

    def empty(self) -> None:
        """No operation is left of the story before; people and agents stay."""
        with as_superuser(connection) as cursor:
            cursor.execute(
                "TRUNCATE operations_operation, operations_halt, reconciliation_webhookdelivery"
                " CASCADE"
            )

    def pass_time(self, minutes: int) -> None:
        """The clock jumps forward, for every operation: what was, lies further in the past."""
        with as_superuser(connection) as cursor:
            for table, names in INSTANTS.items():
                sets = ", ".join(f"{name} = {name} - %(step)s::interval" for name in names)
                cursor.execute(f"UPDATE {table} SET {sets}", {"step": f"{minutes} minutes"})

    def operation(self, key: str) -> Operation:
        return Operation.objects.select_related("agent").get(environment=ENVIRONMENT, key=key)

    # Agents, through the API.

    def call(self, agent: str, method: str, path: str, body: Any = None) -> Answer:
        return self.cast.agents[agent].call(method, f"/operations{path}", body)

    def act(
        self, agent: str, key: str, path: str, body: Any = None, method: str = "POST"
    ) -> Answer:
        return self.call(agent, method, f"/{self.operation(key).pk}{path}", body)

    def webhook(self, place: str, data: dict[str, Any]) -> str:
        """The outcome of a signed delivery of this receipt."""
        self.webhooks += 1
        body = json.dumps({"type": "receipt", "data": data})
        headers = {
            f"HTTP_{name.upper().replace('-', '_')}": value
            for name, value in signed(body, webhook_id=f"msg-{self.webhooks}").items()
        }
        answer = Client().generic(
            "POST",
            f"/hooks/{ENVIRONMENT}/{place}",
            body,
            content_type="application/json",
            **headers,
        )
        assert answer.status_code == 200, answer.content
        return str(json.loads(answer.content)["outcome"])

    # People, through the actions.

    def decide(self, action: Callable[..., Any], *, by: str, **given: Any) -> str:
        """The code of the refusal, "" when it was done."""
        try:
            action(actor=self.cast.people[by], **given)
        except Refusal as refusal:
            return refusal.code
        return ""

    def requests(self, key: str) -> list[Approval]:
        asked = Approval.objects.filter(operation=self.operation(key))
        return list(asked.exclude(subject=ApprovalSubject.PROPOSAL).order_by("id"))

    def proposals(self, key: str) -> list[Approval]:
        asked = Approval.objects.filter(operation=self.operation(key))
        return list(asked.filter(subject=ApprovalSubject.PROPOSAL).order_by("id"))

    def stale_reports(self, key: str) -> list[AttemptEnd]:
        reports = AttemptEnd.objects.filter(attempt__operation__key=key, is_stale=True)
        return list(reports.select_related("explanation").order_by("id"))

    # What everybody can see.

    def trails(self) -> dict[str, int]:
        """How long each operation's trail is: whatever changes leaves an entry (rule 11)."""
        found = Operation.objects.annotate(length=Max("audit_entries__seq"))
        return dict(found.values_list("key", "length"))

    def observe(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """By key: the API's members, the choices that `VIEWER` has, and what is unexplained."""
        named = Operation.objects.filter(key__in=list(keys))
        found = list(named.select_related("agent", "review_holder"))
        seen = {}
        for record in records_of(found):
            facts = replace(record.facts, viewer=VIEWER)
            seen[record.operation.key] = {
                **operation_members(record),
                "choices": choices(facts, record.profile, record.now),
                "unexplained": len(facts.unexplained),
                "token": record.operation.claim_token or 0,
                "next_try_at": record.operation.next_try_at,
                "now": record.now,
            }
        return seen


type Seen = dict[str, Any]


def choice_of(seen: Seen, code: str) -> Choice:
    """One of the choices that were seen."""
    return next(each for each in seen["choices"] if each.code == code)
