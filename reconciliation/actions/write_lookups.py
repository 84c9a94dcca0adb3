"""The plain answers to many lookups are written: one statement a table for all of them."""

from collections.abc import Sequence
from typing import Any

from django.db import IntegrityError, connection

from operations import rows
from operations.actions.weigh_receipt import said_of
from operations.actors import Actor
from operations.audit import Entry, append_entries
from operations.protocol.states import ClaimEnd
from operations.protocol.transitions import Event
from reconciliation.actions.lookup_row import detail_of
from reconciliation.actions.plain_lookups import Plain

_UPDATE = """
    UPDATE operations_operation o
    SET state = g.state, grade = g.grade, effect_id = g.effect_id, version = g.version,
        state_since = g.state_since, updated_at = g.updated_at, next_try_at = g.next_try_at,
        claims_without_mark = g.claims_without_mark,
        could_not_ask_since = g.could_not_ask_since, claim_given_back = true
    FROM unnest(%(ids)s::uuid[], %(seen)s::bigint[], %(tokens)s::bigint[], %(state)s::text[],
        %(grade)s::text[], %(effect_id)s::text[], %(version)s::bigint[],
        %(state_since)s::timestamptz[], %(updated_at)s::timestamptz[],
        %(next_try_at)s::timestamptz[], %(claims_without_mark)s::int[],
        %(could_not_ask_since)s::timestamptz[])
        AS g(id, seen, token, state, grade, effect_id, version, state_since, updated_at,
            next_try_at, claims_without_mark, could_not_ask_since)
    WHERE o.id = g.id AND o.version = g.seen AND o.claim_token = g.token
        AND NOT o.claim_given_back
"""
_CHANGED = (
    "state",
    "grade",
    "effect_id",
    "version",
    "state_since",
    "updated_at",
    "next_try_at",
    "claims_without_mark",
    "could_not_ask_since",
)
_END = """
    UPDATE operations_claim SET ended_at = %(at)s, "end" = %(end)s
    WHERE operation_id = ANY(%(ids)s) AND slot = 'machine' AND ended_at IS NULL
"""


def write_lookups(plain: Sequence[Plain], *, actor: Actor) -> None:
    """Write them all, in the caller's transaction. Raises IntegrityError, and then none is."""
    if not plain:
        return
    rows.insert_all([each.receipt for each in plain if each.receipt])
    _update(plain)
    ids = [each.operation.pk for each in plain]
    with connection.cursor() as cursor:
        cursor.execute(
            _END, {"ids": ids, "end": str(ClaimEnd.FINISHED), "at": plain[0].lookup.answered_at}
        )
    for each in plain:
        each.lookup.receipt = each.receipt  # it has its key now
    rows.insert_all([each.lookup for each in plain])
    append_entries([entry for each in plain for entry in _entries(each, actor)])


def _update(plain: Sequence[Plain]) -> None:
    values: dict[str, list[Any]] = {
        name: [getattr(each.operation, name) for each in plain] for name in _CHANGED
    }
    values |= {
        "ids": [each.operation.pk for each in plain],
        "seen": [each.version_before for each in plain],
        "tokens": [each.operation.claim_token for each in plain],
    }
    with connection.cursor() as cursor:
        cursor.execute(_UPDATE, values)
        if cursor.rowcount != len(plain):
            raise IntegrityError(f"{cursor.rowcount} of {len(plain)} rows were as they were read")


def _entries(plain: Plain, actor: Actor) -> list[Entry]:
    operation, lookup = plain.operation, plain.lookup
    entries = []
    if plain.receipt:
        entries.append(
            Entry(
                about=operation,
                event=plain.event,
                actor=actor,
                at=lookup.answered_at,
                before=plain.state_before,
                after=operation.state,
                cause=operation.cause if plain.event == Event.CONFIRM else "",
                detail=said_of(plain.receipt),
            )
        )
    entries.append(
        Entry(
            about=operation,
            event="look_up",
            actor=actor,
            at=lookup.answered_at,
            before=operation.state,
            after=operation.state,
            token=lookup.token,
            detail=detail_of(lookup),
        )
    )
    return entries
