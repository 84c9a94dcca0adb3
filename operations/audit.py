"""Writes audit entries. Call it in the transaction that changes the row, after the change."""

import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from operations.actors import Actor, ActorKind
from operations.models import AuditEntry, AuditWords, Operation
from operations.protocol.chain import body_bytes, salted

ACCESS = "access"
CONFIGURATION = "configuration"


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
) -> AuditEntry:
    """One change, one entry (rule 11). The database adds seq, prev_hash and hash.

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
        "state_before": before,
        "state_after": after,
        "version": about.version if about else None,
        "generation": about.generation if about else None,
        "token": token,
        "cause": cause,
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
    entry = AuditEntry(operation=about, at=at, body=body_bytes(body), **values)
    entry.seq, entry.prev_hash, entry.hash = 0, b"", b""  # the trigger writes the real ones
    entry.save(force_insert=True)
    if salt:
        AuditWords.objects.create(entry=entry, salt=salt, actor_name=actor.name, reason=reason)
    return entry
