"""Writes audit entries. Call it in the transaction that changes the row, after the change."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from psycopg.types.json import Jsonb

from operations.actors import Actor, ActorKind
from operations.models import AuditWords, Operation
from operations.protocol.chain import body_bytes, salted

ACCESS = "access"
CONFIGURATION = "configuration"
DRILLS = "drills"
RECEIVERS = "receivers"

# Written by hand: every change of every operation passes here. The trigger fills in the chain.
_GIVEN = (
    "stream operation_id at actor_kind actor_id event state_before state_after version generation "
    "token cause detail request_id body"
)
_INSERT = """
    INSERT INTO operations_auditentry (
        stream, operation_id, seq, at, actor_kind, actor_id, event, state_before, state_after,
        version, generation, token, cause, detail, request_id, body, prev_hash, hash)
    VALUES (
        %(stream)s, %(operation_id)s, 0, %(at)s, %(actor_kind)s, %(actor_id)s, %(event)s,
        %(state_before)s, %(state_after)s, %(version)s, %(generation)s, %(token)s, %(cause)s,
        %(detail)s, %(request_id)s, %(body)s, '', '')
    RETURNING id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One change of an operation by a part of the console, which has no words to be erased."""

    about: Operation
    event: str
    actor: Actor
    at: datetime
    before: str
    after: str
    token: int | None = None
    cause: str = ""
    detail: Mapping[str, Any] | None = None


def append_entries(entries: Sequence[Entry]) -> None:
    """As `append_entry` for each of them, in their order, by one statement.

    Each says its operation as it is when this is called, with its present version.
    """
    if not entries:
        return
    columns = _GIVEN.split()
    values: list[Any] = []
    for entry in entries:
        written = _written(
            about=entry.about,
            event=entry.event,
            actor=entry.actor,
            at=entry.at,
            before=entry.before,
            after=entry.after,
            token=entry.token,
            cause=entry.cause,
            detail=entry.detail,
        )
        values += [written[name] for name in columns]
    row = f"({', '.join(['%s'] * len(columns))}, 0, '', '')"
    statement = (
        f"INSERT INTO operations_auditentry ({', '.join(columns)}, seq, prev_hash, hash) "  # noqa: S608
        f"VALUES {', '.join([row] * len(entries))}"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def append_entry(
    *,
    about: Operation | None,
    event: str,
    actor: Actor,
    at: datetime,
    before: str = "",
    after: str = "",
    token: int | None = None,
    cause: str = "",
    reason: str = "",
    detail: Mapping[str, Any] | None = None,
    stream: str = "",
) -> int:
    """One change, one entry (rule 11); its id. The database adds seq, prev_hash and hash.

    `about` is the operation, whose row must be locked by this transaction; without one, `stream`
    names the chain. A person's name and words go to AuditWords, the body holds salted digests.
    """
    if about is None and not stream:
        raise ValueError("An entry is about an operation or names its stream.")
    salt = secrets.token_bytes(16) if actor.kind == ActorKind.PERSON or reason else b""
    written = _written(
        about=about,
        stream=stream,
        event=event,
        actor=actor,
        at=at,
        before=before,
        after=after,
        token=token,
        cause=cause,
        reason=reason,
        detail=detail,
        salt=salt,
    )
    with connection.cursor() as cursor:
        cursor.execute(_INSERT, written)
        row = cursor.fetchone()
    assert row is not None
    if salt:
        AuditWords.objects.create(entry_id=row[0], salt=salt, actor_name=actor.name, reason=reason)
    entry_id: int = row[0]
    return entry_id


def _written(
    *,
    about: Operation | None,
    event: str,
    actor: Actor,
    at: datetime,
    before: str,
    after: str,
    token: int | None,
    detail: Mapping[str, Any] | None,
    stream: str = "",
    cause: str = "",
    reason: str = "",
    salt: bytes = b"",
) -> dict[str, Any]:
    """The columns of one entry; its body says all of them and what they are about."""
    values = {
        "stream": stream or f"operation:{about.pk if about else None}",
        "actor_kind": str(actor.kind),
        "actor_id": actor.id,
        "event": event,
        "state_before": str(before),
        "state_after": str(after),
        "version": about.version if about else None,
        "generation": about.generation if about else None,
        "token": token,
        "cause": str(cause),
        "detail": dict(detail or {}),
        "request_id": actor.request_id,
    }
    body = {
        "v": 1,
        **values,
        "at": at.isoformat(),
        "payload_digest": about.payload_digest if about else "",
        "actor_name": salted(salt, actor.name) if salt else actor.name,
        "reason": salted(salt, reason) if reason else "",
    }
    return {
        **values,
        "operation_id": about.pk if about else None,
        "detail": Jsonb(values["detail"]),
        "at": at,
        "body": body_bytes(body),
    }
