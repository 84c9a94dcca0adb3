"""Who calls: a bearer token, looked up by its SHA-256, and what it may reach."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from django.db.models import Func
from django.db.models.fields import DateTimeField
from django.http import HttpRequest
from ninja.security import HttpBearer

from operations.actions.note_token_use import note_token_use
from operations.actors import Actor
from operations.api.body import refuse_large_or_endless
from operations.api.rate import rate
from operations.models import ApiToken
from operations.protocol.refusals import Unauthenticated


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """An agent that came with one of its tokens."""

    token: ApiToken
    actor: Actor

    @property
    def agent_id(self) -> int:
        """The agent whose operations it sees."""
        return self.token.agent_id


def caller(request: HttpRequest) -> Caller:
    """The authenticated caller of this request."""
    return cast("Caller", request.auth)  # type: ignore[attr-defined] # ninja adds it


class BearerToken(HttpBearer):
    """Bearer authentication. Raises Unauthenticated with what was wrong, never the token."""

    def __call__(self, request: HttpRequest) -> Caller:
        """The caller; also judges the announced size and the token's rate of requests."""
        scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
        if not scheme:
            raise _refused("no Authorization header")
        if scheme.lower() != "bearer" or not secret.strip():
            raise _refused("another scheme")
        found = self.authenticate(request, secret.strip())
        rate.take(found.token.pk)
        refuse_large_or_endless(request)
        return found

    def authenticate(self, request: HttpRequest, token: str) -> Caller:
        """The caller that this secret belongs to."""
        found = _find(token)
        if found is None:
            raise _refused("a token that is not known")
        now: datetime = found.now  # type: ignore[attr-defined] # annotated by _find
        reason = _why_not(found, now)
        if reason:
            raise _refused(reason)
        note_token_use(found, at=now)
        return Caller(token=found, actor=_actor(found, getattr(request, "request_id", "")))


def _find(secret: str) -> ApiToken | None:
    digest = hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
    clock = Func(function="clock_timestamp", output_field=DateTimeField())
    tokens = ApiToken.objects.select_related("agent", "owner").annotate(now=clock)
    return tokens.filter(digest=digest).first()


def _why_not(token: ApiToken, now: datetime) -> str:
    if token.revoked_at is not None and token.revoked_at <= now:
        return "a revoked token"
    if token.expires_at is not None and token.expires_at <= now:
        return "an expired token"
    if not token.agent.is_active:
        return "a token of a disabled agent"
    return "" if token.owner.is_active else "a token of a person who is not active"


def _actor(token: ApiToken, request_id: str) -> Actor:
    return Actor.agent(
        agent_id=token.agent_id,
        name=token.agent.name,
        owner_id=token.owner_id,
        responsible_id=token.agent.responsible_id,
        request_id=request_id,
    )


def _refused(got: str) -> Unauthenticated:
    return Unauthenticated(expected="Bearer and a current token", got=got)
