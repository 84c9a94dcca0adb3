"""A new API token for an agent; its secret is told once and kept only as a digest."""

import hashlib
import secrets
from dataclasses import dataclass, field
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from operations import clock, registry
from operations.actors import Actor
from operations.audit import ACCESS, append_entry
from operations.models import Agent, ApiToken
from operations.protocol.refusals import InvalidField, UnknownReceiver

PREFIX = "oc_"
SHOWN_CHARACTERS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class NewToken:
    """The token's row, and its secret, which nobody can read again."""

    token: ApiToken
    secret: str = field(repr=False)


@transaction.atomic
def create_token(
    *,
    actor: Actor,
    agent_name: str,
    owner: User,
    environments: tuple[str, ...] = (),
    kinds: tuple[str, ...] = (),
    receivers: tuple[str, ...] = (),
    expires_at: datetime | None,
) -> NewToken:
    """A token of `owner` for the agent, which is made, with the owner responsible, if it is new.

    Empty scopes reach everything configured but the drills' environment, which only their own
    agent is let into. Raises InvalidField, UnknownEnvironment, UnknownKind, UnknownReceiver.
    """
    if not agent_name.strip() or not agent_name.isprintable():
        raise InvalidField(field="agent", expected="a printable name", got=ascii(agent_name))
    if not owner.is_active:
        raise InvalidField(field="owner", expected="an active person", got=owner.username)
    _require_known(environments, kinds, receivers)
    if registry.DRILL in environments and agent_name != registry.DRILL_AGENT:
        expected = f"environments other than {registry.DRILL}, which only drills use"
        raise InvalidField(field="environments", expected=expected, got=registry.DRILL)
    now = clock.now()
    if expires_at is not None and expires_at <= now:
        got = expires_at.isoformat()
        raise InvalidField(field="expires", expected="an instant in the future", got=got)
    agent, is_new = Agent.objects.get_or_create(name=agent_name, defaults={"responsible": owner})
    secret = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        agent=agent,
        owner=owner,
        prefix=secret[:SHOWN_CHARACTERS],
        digest=hashlib.sha256(secret.encode()).hexdigest(),
        environments=list(environments),
        kinds=list(kinds),
        receivers=list(receivers),
        created_at=now,
        expires_at=expires_at,
    )
    append_entry(
        about=None,
        stream=ACCESS,
        event="create_token",
        actor=actor,
        at=now,
        detail={
            "token": token.pk,
            "agent": agent.name,
            "is_new_agent": is_new,
            "owner": owner.pk,
            "environments": list(environments),
            "kinds": list(kinds),
            "receivers": list(receivers),
            "expires_at": expires_at.isoformat() if expires_at else None,
        },
    )
    return NewToken(token=token, secret=secret)


def _require_known(
    environments: tuple[str, ...], kinds: tuple[str, ...], receivers: tuple[str, ...]
) -> None:
    for name in environments:
        registry.environment(name)
    for name in kinds:
        registry.kind(name)
    known = sorted({name for _, name in registry.configuration().receivers})
    for name in receivers:
        if name not in known:
            raise UnknownReceiver(field="receiver", expected=", ".join(known), got=name)
