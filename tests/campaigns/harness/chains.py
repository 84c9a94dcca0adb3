"""Recomputes every audit trail from its rows: SHA-256 over hash before, number and body."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import psycopg

_ENTRIES = """
    SELECT stream, seq, prev_hash, hash, body, event, state_before, state_after
    FROM operations_auditentry ORDER BY stream, seq
"""


def chain_faults(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """The first bad entry of each trail, one line each."""
    stream, number, last = "", 0, bytes(32)
    is_broken = False
    for row in connection.execute(_ENTRIES):
        if row[0] != stream:
            stream, number, last, is_broken = row[0], 0, bytes(32), False
        number += 1
        fault = None if is_broken else _fault(row, number, last)
        if fault:
            is_broken = True
            yield f"I5 {stream} #{row[1]}: {fault}"
        last = row[3]


def _fault(row: Any, number: int, last: bytes) -> str | None:
    _, seq, before, own, body, event, state_before, state_after = row
    if seq != number:
        return f"expected number {number}"
    if before != last:
        return "does not follow the entry before it"
    if hashlib.sha256(before + seq.to_bytes(8, "big") + body).digest() != own:
        return "its hash is not that of its body"
    said = json.loads(body)
    if (said["event"], said["state_before"], said["state_after"]) != (
        event,
        state_before,
        state_after,
    ):
        return "its columns do not say what its body says"
    return None
