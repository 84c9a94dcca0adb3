"""What an answer says about its receiver: its circuit opens and closes, its wish is kept."""

from datetime import datetime
from typing import Any

import structlog
from django.db import connection, transaction

from operations.actors import Actor
from operations.audit import RECEIVERS, append_entry
from operations.models import Operation
from operations.protocol.profiles import Profile
from operations.protocol.words import shortened, storable
from operations.receivers.base import CouldNotAsk, Observation
from reconciliation.protocol.circuit import is_receivers_failure

log = structlog.get_logger()

_HERE = " WHERE environment = %(environment)s AND receiver = %(receiver)s"

_ANSWERED = f"""
    UPDATE reconciliation_lookupgate SET failures_in_row = 0 {_HERE}
        AND (failures_in_row > 0 OR opened_at IS NOT NULL)
    RETURNING opened_at
"""  # noqa: S608  no value stands in it
_CLOSE = f"""
    UPDATE reconciliation_lookupgate
    SET opened_at = NULL, open_until = NULL, probe_token = NULL, probe_ends_at = NULL {_HERE}
"""  # noqa: S608
# A lookup that left before the circuit opened and fails after it moves no end: only a probe does.
_FAILED = f"""
    WITH before AS (
        SELECT id AS gate_id, opened_at AS was_open_from FROM reconciliation_lookupgate {_HERE}
        FOR NO KEY UPDATE
    )
    UPDATE reconciliation_lookupgate
    SET failures_in_row = failures_in_row + %(counts)s,
        last_error = %(error)s,
        last_error_at = %(at)s,
        opened_at = CASE WHEN opened_at IS NULL AND failures_in_row + %(counts)s >= %(limit)s
            THEN %(at)s ELSE opened_at END,
        open_until = CASE WHEN opened_at IS NULL AND failures_in_row + %(counts)s >= %(limit)s
            OR probe_token = %(token)s
            THEN %(at)s + make_interval(secs => %(pause)s) ELSE open_until END,
        probe_token = CASE WHEN probe_token = %(token)s THEN NULL ELSE probe_token END,
        probe_ends_at = CASE WHEN probe_token = %(token)s THEN NULL ELSE probe_ends_at END,
        held_until = CASE WHEN %(wait)s::float IS NULL THEN held_until
            ELSE greatest(held_until, %(at)s + make_interval(secs => %(wait)s)) END
    FROM before WHERE id = gate_id
    RETURNING failures_in_row, open_until, was_open_from IS NULL AND opened_at IS NOT NULL
"""  # noqa: S608


def note_answer(
    operation: Operation,
    profile: Profile,
    seen: Observation,
    *,
    token: int | None,
    actor: Actor,
    at: datetime,
) -> None:
    """Change the gate of the operation's receiver, in the transaction that records the lookup.

    Found and not_found close the circuit; a failure of the receiver counts, and so many in a row
    open it. Either is an entry of the trail of receivers and a line in the log.
    """
    values: dict[str, Any] = {
        "environment": operation.environment,
        "receiver": operation.receiver,
        "token": token,
        "at": at,
    }
    if not isinstance(seen, CouldNotAsk):
        _answered(values, actor)
        return
    is_failure = is_receivers_failure(status=seen.status, is_ours=seen.is_ours)
    values |= {
        "counts": int(is_failure),
        # What does not count opens nothing, however many there were before it.
        "limit": profile.circuit_after_failures if is_failure else 2**31,
        "pause": profile.circuit_pause_seconds,
        "wait": seen.retry_after_seconds if seen.status in (429, 503) else None,
        "error": storable(shortened(seen.detail)),
    }
    row = _first(_FAILED, values)
    if row and row[2]:
        said = {"failures": row[0], "open_until": row[1].isoformat(), "error": values["error"]}
        _tell("open_circuit", values, actor, said)


def _answered(values: dict[str, Any], actor: Actor) -> None:
    row = _first(_ANSWERED, values)
    if row and row[0] is not None:
        with connection.cursor() as cursor:
            cursor.execute(_CLOSE, values)
        _tell("close_circuit", values, actor, {"opened_at": row[0].isoformat()})


def _first(statement: str, values: dict[str, Any]) -> tuple[Any, ...] | None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        row: tuple[Any, ...] | None = cursor.fetchone()
    return row


def _tell(event: str, values: dict[str, Any], actor: Actor, said: dict[str, Any]) -> None:
    place = {"environment": values["environment"], "receiver": values["receiver"]}
    append_entry(
        about=None,
        stream=RECEIVERS,
        event=event,
        actor=actor,
        at=values["at"],
        detail={**place, **said},
    )
    transaction.on_commit(lambda: log.warning(event, **place, **said))
