"""Lookups pass their receiver's gate, or are told why not: circuit, budget, how many at once."""

from datetime import datetime
from typing import Any

from django.db import connection

from operations.protocol.profiles import Profile
from reconciliation.protocol.room import GateFacts, Room, room_at

_HERE = "WHERE environment = %(environment)s AND receiver = %(receiver)s"
_LOCK = f"""
    SELECT opened_at, open_until, probe_ends_at, held_until, next_ask_at
    FROM reconciliation_lookupgate {_HERE} FOR NO KEY UPDATE
"""  # noqa: S608  no value stands in it
_MAKE = """
    INSERT INTO reconciliation_lookupgate
        (environment, receiver, failures_in_row, last_error)
    VALUES (%(environment)s, %(receiver)s, 0, '') ON CONFLICT DO NOTHING
"""
# Asked once the gate's row is ours, in a statement of its own: it sees what others committed, and
# the clock as it is after the wait. A claim of a killed worker counts until its lease is over.
_UNDER_WAY = """
    SELECT clock_timestamp(), (
        SELECT count(*) FROM operations_claim c
        JOIN operations_operation o ON o.id = c.operation_id
        WHERE c.ended_at IS NULL AND c.purpose = 'reconcile' AND c.expires_at > clock_timestamp()
            AND o.environment = %(environment)s AND o.receiver = %(receiver)s)
"""
_SPEND = f"""
    UPDATE reconciliation_lookupgate SET next_ask_at = %(next_ask_at)s {_HERE}
"""  # noqa: S608
_PROBE = f"""
    UPDATE reconciliation_lookupgate
    SET probe_token = %(token)s,
        probe_ends_at = clock_timestamp() + make_interval(secs => %(lease_seconds)s)
    {_HERE}
"""  # noqa: S608


def pass_gate(*, environment: str, receiver: str, profile: Profile, wanted: int) -> Room:
    """How many of the `wanted` lookups may be made now; the gate is locked from here on.

    The budget that they need is spent, in the caller's transaction. Operations are locked before
    the gate, here and wherever an answer is noted, so that none wait crosswise. What has no room
    is written down nowhere: it stays due, and the next sweep finds it.
    """
    place: dict[str, Any] = {"environment": environment, "receiver": receiver}
    with connection.cursor() as cursor:
        cursor.execute(_LOCK, place)
        found = cursor.fetchone()
        if found is None:  # for the first lookup of all
            cursor.execute(_MAKE, place)
            cursor.execute(_LOCK, place)
            found = cursor.fetchone()
        assert found is not None
        cursor.execute(_UNDER_WAY, place)
        now, under_way = cursor.fetchone()
        room = room_at(_facts(found, under_way), profile, wanted=wanted, now=now)
        if room.next_ask_at:
            cursor.execute(_SPEND, {**place, "next_ask_at": room.next_ask_at})
    return room


def note_probe(*, environment: str, receiver: str, token: int, lease_seconds: int) -> None:
    """The lookup under this token is the one that an open circuit lets through after its pause."""
    values: dict[str, Any] = {
        "environment": environment,
        "receiver": receiver,
        "token": token,
        "lease_seconds": lease_seconds,
    }
    with connection.cursor() as cursor:
        cursor.execute(_PROBE, values)


def _facts(found: tuple[datetime | None, ...], under_way: int) -> GateFacts:
    opened_at, open_until, probe_ends_at, held_until, next_ask_at = found
    return GateFacts(
        opened_at=opened_at,
        open_until=open_until,
        probe_ends_at=probe_ends_at,
        held_until=held_until,
        next_ask_at=next_ask_at,
        under_way=under_way,
    )
