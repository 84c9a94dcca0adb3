"""The whole life of an operation through the product's own actions, in process."""

import uuid
from collections.abc import Callable

from django.contrib.auth.models import User
from django.db import connection

from operations.actions.claim_operation import claim_operation
from operations.actions.mark_attempt import mark_attempt
from operations.actions.record_receipt import record_receipt
from operations.actions.register_operation import register_operation
from operations.actions.registration import Registration
from operations.actors import Actor
from operations.models import Agent
from operations.protocol.payloads import parse_json
from operations.protocol.receipts import parse_receipt
from operations.protocol.states import Channel, State


class Lifecycle:
    """Register, claim, mark, confirm; fails when an operation does not end confirmed."""

    def __init__(self) -> None:
        owner = User.objects.create_user("bench")
        agent = Agent.objects.create(name="bench", responsible=owner)
        self.actor = Actor.agent(
            agent_id=agent.pk, name=agent.name, owner_id=owner.pk, responsible_id=owner.pk
        )

    def work(self, is_over: Callable[[], bool]) -> int:
        """How many operations this thread confirmed until `is_over`."""
        count = 0
        try:
            while not is_over():
                self._one()
                count += 1
        finally:
            connection.close()
        return count

    def _one(self) -> None:
        key = f"bench-{uuid.uuid4()}"
        body = parse_json('{"sku":"vanilla","quantity":6}')
        registration = Registration(
            key=key,
            kind="supplier.order",
            receiver="sandbox",
            environment="production",
            payload=body,
        )
        operation = register_operation(actor=self.actor, registration=registration).operation
        claim = claim_operation(
            operation_id=operation.pk,
            actor=self.actor,
            version=operation.version,
            holder="bench",
            lease_seconds=60,
        )
        mark_attempt(operation_id=operation.pk, actor=self.actor, token=claim.token)
        raw = (
            f'{{"operation_id":"{key}","payload":{{"sku":"vanilla","quantity":6}},'
            f'"status":"confirmed","effect_id":"eff-{key}"}}'
        ).encode()
        recorded = record_receipt(
            operation_id=operation.pk,
            value=parse_receipt(parse_json(raw)),
            channel=Channel.RESPONSE,
            raw=raw,
            actor=self.actor,
            token=claim.token,
        )
        if recorded.operation.state != State.CONFIRMED:
            raise AssertionError(f"expected confirmed, got {recorded.operation.state}")
