"""Recomputes audit trails: the chain, the columns beside it, the words, and where a trail ends."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from operations.models import AuditEntry, AuditWords, Operation
from operations.protocol.audit_entries import (
    LONGEST,
    Words,
    body_of,
    columns_fault,
    is_erased,
    words_fault,
)
from operations.protocol.chain import check_chain, entry_hash
from operations.protocol.payloads import parse_json

CHUNK = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """The first bad entry of one trail. `seq` is 0 when the trail has no entry at all."""

    stream: str
    seq: int
    reason: str

    def __str__(self) -> str:
        place = f"{self.stream} #{self.seq}" if self.seq else self.stream
        return f"{place}: {self.reason}"


@dataclass(slots=True, kw_only=True)
class Proof:
    """What was recomputed. `erased_count` entries have digests whose words were erased."""

    entry_count: int = 0
    trail_count: int = 0
    erased_count: int = 0
    faults: list[Fault] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether every entry follows from the one before and says what its columns say."""
        return not self.faults


def prove_all() -> Proof:
    """Every trail, read once in order, in one snapshot; memory grows with one trail only."""
    proof = Proof()
    with transaction.atomic():
        rows = _read(AuditEntry.objects.all()).iterator(chunk_size=CHUNK)
        for _, entries in groupby(rows, key=lambda entry: entry.stream):
            _prove(proof, list(entries))
        silent = Operation.objects.filter(audit_entries=None).values_list("pk", flat=True)
        for pk in silent.iterator(chunk_size=CHUNK):
            proof.faults.append(_silence(pk))
    return proof


def prove_operation(operation_id: UUID) -> Proof:
    """One operation's trail."""
    proof = Proof()
    entries = list(_read(AuditEntry.objects.filter(stream=stream_of(operation_id))))
    if entries:
        _prove(proof, entries)
    else:
        proof.faults.append(_silence(operation_id))
    return proof


def prove_short_trail(operation_id: UUID, *, at_most: int) -> Proof | None:
    """One operation's trail, unless it has none or more than `at_most` entries."""
    trail = AuditEntry.objects.filter(stream=stream_of(operation_id))
    entries = list(_read(trail)[: at_most + 1])
    if not 0 < len(entries) <= at_most:
        return None
    proof = Proof()
    _prove(proof, entries)
    return proof


def stream_of(operation_id: UUID) -> str:
    """The name of an operation's trail."""
    return f"operation:{operation_id}"


def entry_fault(entry: AuditEntry) -> str | None:
    """What is wrong with one entry by itself: its hash, its columns or its words; else None."""
    expected = entry_hash(bytes(entry.prev_hash), entry.seq, bytes(entry.body))
    if bytes(entry.hash) != expected:
        return f"expected hash {expected.hex()} of its body, got {bytes(entry.hash).hex()}"
    said = body_of(entry.body)
    return columns_fault(said, _told(entry)) or words_fault(said, words_of(entry))


def words_of(entry: AuditEntry) -> Words | None:
    """The personal part of an entry, which was read along with it."""
    row: AuditWords | None = getattr(entry, "words", None)
    if row is None:
        return None
    return Words(salt=bytes(row.salt), actor_name=row.actor_name, reason=row.reason)


def _read(entries: QuerySet[AuditEntry]) -> QuerySet[AuditEntry]:
    chosen = entries.select_related("words", "operation").order_by("stream", "seq")
    needed = [name.name for name in AuditEntry._meta.concrete_fields]  # noqa: SLF001
    return chosen.only(
        *needed,
        "operation__version",
        "operation__state",
        "words__salt",
        "words__actor_name",
        "words__reason",
    )


def _prove(proof: Proof, entries: list[AuditEntry]) -> None:
    proof.trail_count += 1
    proof.entry_count += len(entries)
    proof.erased_count += sum(is_erased(body_of(e.body), words_of(e)) for e in entries)
    fault = min(_faults(entries), key=lambda found: found.seq, default=None)
    if fault is not None:
        proof.faults.append(fault)


def _faults(entries: list[AuditEntry]) -> Iterator[Fault]:
    stream = entries[0].stream
    broken = check_chain((e.seq, bytes(e.prev_hash), bytes(e.hash), bytes(e.body)) for e in entries)
    if broken is not None:
        yield Fault(stream=stream, seq=broken.seq, reason=broken.reason)
    for entry in entries:
        reason = entry_fault(entry)
        if reason is not None:
            yield Fault(stream=stream, seq=entry.seq, reason=reason)
            break
    reason = _end_fault(entries)
    if reason is not None:
        yield Fault(stream=stream, seq=entries[-1].seq, reason=reason)


def _end_fault(entries: list[AuditEntry]) -> str | None:
    """A cut-off end can't be seen in a chain, but the operation's own row tells of it."""
    last = entries[-1]
    if last.operation_id is None:
        return None
    if last.operation is None:
        return "expected the operation that it is about, got none"
    version = max(entry.version or 0 for entry in entries)
    told, is_now = (version, last.state_after), (last.operation.version, last.operation.state)
    if told == is_now:
        return None
    return (
        f"expected the end of the trail at version {is_now[0]}, {is_now[1]}, as the operation is, "
        f"got version {told[0]}, {told[1]}"
    )


def _silence(operation_id: UUID) -> Fault:
    return Fault(
        stream=stream_of(operation_id), seq=0, reason="expected entries of this operation, got none"
    )


def _told(entry: AuditEntry) -> dict[str, Any]:
    detail = parse_json(json.dumps(entry.detail), max_bytes=LONGEST)
    return {
        "stream": entry.stream,
        "at": entry.at.isoformat(),
        "actor_kind": entry.actor_kind,
        "actor_id": entry.actor_id,
        "event": entry.event,
        "state_before": entry.state_before,
        "state_after": entry.state_after,
        "version": entry.version,
        "generation": entry.generation,
        "token": entry.token,
        "cause": entry.cause,
        "detail": detail,
        "request_id": entry.request_id,
    }
