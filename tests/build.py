"""Builders: plain functions that reach a state by calling actions, never by writing it."""

import itertools
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import Group, User
from django.db import connection

from operations.actions.claim_operation import claim_operation
from operations.actions.mark_attempt import mark_attempt
from operations.actions.record_receipt import Recorded, record_receipt
from operations.actions.register_operation import register_operation
from operations.actions.registration import Registration
from operations.actors import Actor
from operations.models import Agent, Attempt, Claim, Operation
from operations.protocol.payloads import dumps, parse_json
from operations.protocol.receipts import parse_receipt
from operations.protocol.states import Channel, Executor

_numbers = itertools.count(1)

_OF_ITS_ATTEMPTS = "attempt_id IN (SELECT id FROM operations_attempt WHERE operation_id = %(id)s)"
# How the rows of a table are found that belong to one operation.
KEYS = {
    "operations_operation": "id = %(id)s",
    "operations_attemptend": _OF_ITS_ATTEMPTS,
    "operations_sendergone": _OF_ITS_ATTEMPTS,
}
VANILLA = '{"sku":"vanilla","quantity":6}'


def a_person(name: str = "", *roles: str) -> User:
    """A person with these roles (groups)."""
    user = User.objects.create_user(
        name or f"person-{next(_numbers)}", password="a long pass-phrase"
    )
    user.groups.set(Group.objects.filter(name__in=roles))
    return user


def as_actor(user: User) -> Actor:
    """The actor that this person is."""
    return Actor.person(person_id=user.pk, username=user.username)


def an_agent(name: str = "", *, responsible: User | None = None) -> Agent:
    """An agent with a responsible person."""
    owner = responsible or a_person()
    return Agent.objects.create(name=name or f"agent-{next(_numbers)}", responsible=owner)


def agent_actor(agent: Agent) -> Actor:
    """The actor that this agent is, with a token of its responsible person."""
    return Actor.agent(
        agent_id=agent.pk,
        name=agent.name,
        owner_id=agent.responsible_id,
        responsible_id=agent.responsible_id,
    )


def a_registration(**given: Any) -> Registration:
    """A supplier order at the sandbox; `payload` may be JSON text."""
    values: dict[str, Any] = {
        "key": f"order-{next(_numbers)}",
        "kind": "supplier.order",
        "receiver": "sandbox",
        "environment": "production",
        "payload": VANILLA,
        **given,
    }
    if isinstance(values["payload"], str):
        values["payload"] = parse_json(values["payload"])
    return Registration(**values)


def an_operation(*, agent: Agent | None = None, **given: Any) -> Operation:
    """A registered operation, ready unless its kind needs approval."""
    actor = agent_actor(agent or an_agent())
    return register_operation(actor=actor, registration=a_registration(**given)).operation


def a_console_operation(**given: Any) -> Operation:
    """One that our own dispatcher sends."""
    return an_operation(executor=Executor.CONSOLE, **given)


def a_refund(amount: str = "150.00", **given: Any) -> Operation:
    """A refund in EUR; from 100.00 on it waits for approval."""
    payload = (
        f'{{"order":"A-{next(_numbers)}","amount":"{amount}","currency":"EUR","reason":"damaged"}}'
    )
    return an_operation(kind="payment.refund", payload=payload, **given)


def a_claim(operation: Operation, *, lease_seconds: int = 60, holder: str = "worker") -> Claim:
    """The owner's dispatch claim."""
    assert operation.agent is not None
    return claim_operation(
        operation_id=operation.pk,
        actor=agent_actor(operation.agent),
        version=operation.version,
        holder=holder,
        lease_seconds=lease_seconds,
    )


def a_marked_operation(**given: Any) -> tuple[Operation, Attempt]:
    """An operation in sent_unknown, its attempt on record."""
    operation = an_operation(**given)
    assert operation.agent is not None
    claim = a_claim(operation)
    attempt = mark_attempt(
        operation_id=operation.pk, actor=agent_actor(operation.agent), token=claim.token
    )
    operation.refresh_from_db()
    return operation, attempt


def a_receipt(operation: Operation, **given: Any) -> dict[str, Any]:
    """The receipt that matches this operation, with `given` on top."""
    return {
        "operation_id": operation.key,
        "payload": parse_json(operation.payload_text),
        "status": "confirmed",
        "effect_id": f"eff-{next(_numbers)}",
        **given,
    }


def receive(
    operation: Operation, value: dict[str, Any], *, channel: Channel = Channel.LOOKUP
) -> Recorded:
    """A receipt arrives on the receiver's own authority."""
    return record_receipt(
        operation_id=operation.pk,
        value=parse_receipt(value),
        channel=channel,
        raw=dumps(value).encode(),
        actor=Actor.system("reconciler"),
    )


def move_back(operation: Operation, seconds: int) -> None:
    """Let that much time pass for an operation by placing its instants in the past.

    Tests alone may do so: as the superuser, with the triggers off, since no role of the product
    can change what is on record.
    """
    from tests.database import as_superuser

    step = timedelta(seconds=seconds)
    columns = {
        "operations_operation": [
            "created_at",
            "state_since",
            "claim_taken_at",
            "claim_expires_at",
            "next_try_at",
            "review_expires_at",
            "could_not_ask_since",
        ],
        "operations_attempt": ["marked_at", "send_deadline_at"],
        "operations_lookup": ["asked_at", "answered_at"],
        "operations_claim": ["taken_at", "expires_at"],
        "operations_approval": ["opened_at", "expires_at", "valid_until"],
        "operations_review": ["opened_at"],
        # By way of the attempt that they are about.
        "operations_attemptend": ["at"],
        "operations_sendergone": ["at"],
    }
    with as_superuser(connection) as cursor:
        for table, names in columns.items():
            sets = ", ".join(f"{name} = {name} - %(step)s" for name in names)
            key = KEYS.get(table, "operation_id = %(id)s")
            cursor.execute(
                f"UPDATE {table} SET {sets} WHERE {key}",
                {"step": step, "id": operation.pk},
            )
    operation.refresh_from_db()
