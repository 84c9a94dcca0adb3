"""What an agent asks for, checked against the configuration before any row is touched."""

import hashlib
import re
from dataclasses import dataclass
from typing import Any

from operations import registry
from operations.protocol.kinds import Kind, money, title, validate_payload
from operations.protocol.money import Money
from operations.protocol.payloads import canonical_bytes, dumps
from operations.protocol.refusals import InvalidField, InvalidKey, InvalidPayload
from operations.protocol.states import Executor
from operations.receivers.base import ReceiverConfig, Request
from operations.receivers.connectors import connector

_KEY = re.compile(r"[ -~]{1,200}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """One request as it came. `payload` is a JSON value read by payloads.parse_json."""

    key: str
    kind: str
    receiver: str
    environment: str
    payload: Any
    executor: Executor = Executor.AGENT
    goal: str = ""
    reference: str = ""
    context: Any = None
    supersedes: str = ""
    compensates: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A registration whose words are all known, with everything derived from it."""

    registration: Registration
    kind: Kind
    receiver: ReceiverConfig
    payload_text: str
    payload_canonical: bytes
    payload_digest: str
    context_text: str
    title: str
    money: Money | None
    idempotency_key: str
    request: Request | None
    request_digest: str


def prepare(registration: Registration) -> Prepared:
    """Raises InvalidKey, UnknownKind, UnknownReceiver, UnknownEnvironment, InvalidPayload."""
    require_key(registration.key)
    environment = registry.environment(registration.environment)
    configured_kind = registry.kind(registration.kind, environment)
    receiver = registry.receiver(registration.receiver, environment)
    payload = registration.payload
    mistakes = validate_payload(configured_kind, payload)
    if mistakes:
        pointer, expected, got = mistakes[0]
        raise InvalidPayload(field=pointer, expected=expected, got=got, mistakes=mistakes)
    amount = money(configured_kind, payload)
    # By value at the amount too: payloads that rule P calls equal have one digest.
    canonical = canonical_bytes(payload, money=amount)
    idempotency_key = idempotency_key_for(environment, registration.key)
    request = _request(registration, receiver, idempotency_key)
    return Prepared(
        registration=registration,
        kind=configured_kind,
        receiver=receiver,
        payload_text=dumps(payload),
        payload_canonical=canonical,
        payload_digest=hashlib.sha256(canonical).hexdigest(),
        context_text="" if registration.context is None else dumps(registration.context),
        title=title(configured_kind, payload),
        money=amount,
        idempotency_key=idempotency_key,
        request=request,
        request_digest=request_digest(request) if request else "",
    )


def require_key(key: str) -> None:
    """Raises InvalidKey unless `key` is 1 to 200 printable ASCII characters."""
    if not _KEY.fullmatch(key):
        raise InvalidKey(got=_shown(key))


def idempotency_key_for(environment: str, key: str) -> str:
    """Derived from the identity alone, so that a restored database gives the same one again."""
    identity = f"{environment}\n{key}".encode()
    return "oc-" + hashlib.sha256(identity).hexdigest()[:40]


def request_digest(request: Request) -> str:
    """SHA-256 over method, URL and body; the database checks it with the same formula."""
    head = f"{request.method} {request.url}\n".encode()
    return hashlib.sha256(head + request.body).hexdigest()


def _request(
    registration: Registration, receiver: ReceiverConfig, idempotency_key: str
) -> Request | None:
    if registration.executor == Executor.AGENT:
        return None
    sender = connector(receiver)
    if sender is None:
        raise InvalidField(
            field="executor",
            expected=f"agent, since receiver {receiver.name} has no interface",
            got="console",
        )
    return sender.render(
        key=registration.key,
        idempotency_key=idempotency_key,
        payload_text=dumps(registration.payload),
        environment=receiver.environment,
    )


def _shown(key: str) -> str:
    return f"{len(key)} characters" if len(key) > 200 or not key else ascii(key)
