"""Writes audit entries. Call it in the transaction that changes the row, after the change."""

import secrets
from collections.abc import Mapping
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
    written: dict[str, Any] = {
        **values,
        "detail": Jsonb(values["detail"]),
        "at": at,
        "body": body_bytes(body),
    }
    written["operation_id"] = about.pk if about else None
    with connection.cursor() as cursor:
        cursor.execute(_INSERT, written)
        row = cursor.fetchone()
    assert row is not None
    if salt:
        AuditWords.objects.create(entry_id=row[0], salt=salt, actor_name=actor.name, reason=reason)
    entry_id: int = row[0]
    return entry_id
