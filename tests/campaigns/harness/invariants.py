"""I1 to I8: what must hold of the record and the receiver's ledger, whatever happened before.

Plain SQL and hashlib, with no code of the product: what it got wrong must not hide it here.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

import psycopg

from tests.campaigns.harness.chains import chain_faults
from tests.campaigns.harness.ledger import Ledger, Place

# Each finds the operations that break one promise: (environment, key, what was seen).
BROKEN: dict[str, str] = {
    "I2 a confirmation rests on a receipt of its own, or on two people": """
        SELECT o.environment, o.key, o.grade FROM operations_operation o
        WHERE o.state = 'confirmed' AND NOT (
            o.grade <> 'attested' AND EXISTS (
                SELECT 1 FROM operations_receipt r WHERE r.operation_id = o.id
                AND r.environment = o.environment AND r.receiver = o.receiver
                AND r.operation_key = o.key AND r.effect_id = o.effect_id
                AND r.status = 'confirmed' AND r.channel <> 'person'
                AND (r.payload_digest = o.payload_digest
                     OR (r.verdict IN ('confirmed', 'already_confirmed', 'late')
                         AND r.differences = '[]'::jsonb)))
            OR o.grade = 'attested' AND 2 <= (
                SELECT count(DISTINCT a.actor_id) FROM operations_auditentry a
                WHERE a.operation_id = o.id AND a.actor_kind = 'person'))
    """,
    "I2 only people open another generation": """
        SELECT o.environment, o.key, e.actor_id FROM operations_auditentry e
        JOIN operations_operation o ON o.id = e.operation_id
        WHERE e.event = 'release' AND e.actor_kind <> 'person'
    """,
    "I3 every state is a known one": """
        SELECT environment, key, state FROM operations_operation WHERE state NOT IN (
            'awaiting_approval', 'ready', 'sent_unknown', 'confirmed', 'refused',
            'not_executed', 'cancelled')
    """,
    "I4 tokens of the machine slot only grow": """
        SELECT o.environment, o.key, c.token::text FROM (
            SELECT operation_id, token, lag(token) OVER (
                PARTITION BY operation_id ORDER BY id) AS earlier
            FROM operations_claim WHERE slot = 'machine') c
        JOIN operations_operation o ON o.id = c.operation_id
        WHERE c.earlier IS NOT NULL AND c.token <= c.earlier
    """,
    "I4 a release opened each generation but the first, and attempts are of those": """
        SELECT o.environment, o.key, o.generation::text FROM operations_operation o
        WHERE o.generation <> 1 + (SELECT count(*) FROM operations_auditentry e
                WHERE e.operation_id = o.id AND e.event = 'release')
            OR o.generation < (SELECT max(a.generation) FROM operations_attempt a
                WHERE a.operation_id = o.id)
    """,
    "I4 no two attempts share a token": """
        SELECT o.environment, o.key, a.token::text FROM operations_attempt a
        JOIN operations_attempt b ON a.token = b.token AND a.id < b.id
        JOIN operations_operation o ON o.id = a.operation_id
    """,
    "I5 the entries' states follow one another up to the present one": """
        SELECT o.environment, o.key, e.seq::text FROM (
            SELECT operation_id, seq, state_before, state_after,
                lag(state_after) OVER w AS earlier,
                row_number() OVER (PARTITION BY operation_id ORDER BY seq DESC) AS from_end
            FROM operations_auditentry WHERE operation_id IS NOT NULL
            WINDOW w AS (PARTITION BY operation_id ORDER BY seq)) e
        JOIN operations_operation o ON o.id = e.operation_id
        WHERE (e.earlier IS NOT NULL AND e.state_before <> e.earlier)
           OR (e.from_end = 1 AND e.state_after <> o.state)
    """,
    "I5 the version grows by one with one entry": """
        SELECT o.environment, o.key, e.version::text FROM (
            SELECT operation_id, version, lag(version) OVER w AS earlier,
                row_number() OVER (PARTITION BY operation_id ORDER BY seq DESC) AS from_end
            FROM operations_auditentry WHERE operation_id IS NOT NULL
            WINDOW w AS (PARTITION BY operation_id ORDER BY seq)) e
        JOIN operations_operation o ON o.id = e.operation_id
        WHERE e.version < e.earlier OR e.version > e.earlier + 1
           OR (e.from_end = 1 AND e.version <> o.version)
    """,
    "I5 every operation has a trail": """
        SELECT environment, key, '' FROM operations_operation o WHERE NOT EXISTS (
            SELECT 1 FROM operations_auditentry e WHERE e.operation_id = o.id)
    """,
    "I7 the payload is the one that its digest names": """
        SELECT environment, key, payload_digest FROM operations_operation
        WHERE payload_digest <> encode(sha256(payload_canonical), 'hex')
    """,
    "I7 an attempt sent the payload that was registered": """
        SELECT o.environment, o.key, a.payload_digest FROM operations_attempt a
        JOIN operations_operation o ON o.id = a.operation_id
        WHERE a.payload_digest <> o.payload_digest OR a.request_digest <> o.request_digest
           OR a.idempotency_key <> o.idempotency_key
    """,
    "I8 nobody answered a request of their own": """
        SELECT o.environment, o.key, d.person_id::text FROM operations_approvaldecision d
        JOIN operations_approval p ON p.id = d.approval_id
        JOIN operations_operation o ON o.id = p.operation_id
        WHERE d.person_id = p.requested_by_id OR d.person_id = ANY(p.excluded_ids)
           OR d.person_id = o.requested_by_id
    """,
    "an attempt under approval had a yes that was still good": """
        SELECT o.environment, o.key, p.status FROM operations_attempt a
        JOIN operations_approval p ON p.id = a.approval_id
        JOIN operations_operation o ON o.id = a.operation_id
        WHERE p.given < p.needed OR p.payload_digest <> o.payload_digest
           OR p.valid_until < a.marked_at
    """,
    "one effect confirms one operation": """
        SELECT min(environment), min(key), effect_id FROM operations_operation
        WHERE effect_id <> '' GROUP BY environment, receiver, effect_id HAVING count(*) > 1
    """,
    "evidence of an effect is never left alone": """
        SELECT o.environment, o.key, o.state FROM operations_receipt r
        JOIN operations_operation o ON o.id = r.operation_id
        WHERE r.needs_explanation AND r.status <> 'refused'
            AND o.state IN ('refused', 'not_executed', 'cancelled')
            AND NOT EXISTS (SELECT 1 FROM operations_explanation x WHERE x.receipt_id = r.id)
            AND NOT EXISTS (
                SELECT 1 FROM operations_review v
                WHERE v.operation_id = o.id AND v.closed_at IS NULL)
    """,
    "no claim is open beside a newer one": """
        SELECT o.environment, o.key, count(*)::text FROM operations_claim c
        JOIN operations_operation o ON o.id = c.operation_id
        WHERE c.ended_at IS NULL GROUP BY o.id, c.slot HAVING count(*) > 1
    """,
}

# Nothing will happen by itself any more, and no person is asked.
STUCK = """
    SELECT o.environment, o.key, o.state FROM operations_operation o WHERE
        (o.state = 'awaiting_approval' AND NOT EXISTS (
            SELECT 1 FROM operations_approval p WHERE p.operation_id = o.id AND p.status = 'open'))
        OR (o.state = 'ready' AND o.executor = 'console' AND NOT EXISTS (
            SELECT 1 FROM operations_review r
            WHERE r.operation_id = o.id AND r.closed_at IS NULL))
        OR (o.state = 'sent_unknown' AND NOT EXISTS (
            SELECT 1 FROM operations_review r
            WHERE r.operation_id = o.id AND r.closed_at IS NULL))
        OR EXISTS (
            SELECT 1 FROM operations_claim c WHERE c.operation_id = o.id AND c.ended_at IS NULL
            AND c.expires_at < clock_timestamp() - interval '30 seconds')
"""

# A receiver's effect that the record denies while nobody is asked about it.
DENIED = """
    SELECT environment, key, state FROM operations_operation o
    WHERE (environment, key) IN (SELECT * FROM unnest(%(environments)s::text[], %(keys)s::text[]))
    AND state IN ('refused', 'not_executed', 'cancelled', 'ready', 'awaiting_approval')
    AND NOT EXISTS (
        SELECT 1 FROM operations_review r WHERE r.operation_id = o.id AND r.closed_at IS NULL)
"""


@dataclass(slots=True, kw_only=True)
class Findings:
    """Broken promises, one line each. `work` counts what there was to break."""

    duplicates: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    stuck: list[str] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    work: dict[str, int] = field(default_factory=dict)

    @property
    def all(self) -> list[str]:
        """Every line."""
        return [*self.duplicates, *self.lost, *self.stuck, *self.violations]


def examine(
    database_url: str,
    *,
    ledger: Ledger,
    acknowledged: Collection[Place] = (),
    must_be_settled: bool = True,
    may_be_denied: Collection[Place] = (),
) -> Findings:
    """Hold the whole record against the ledger.

    `database_url` may read everything (owner or superuser). `acknowledged`: registrations that a
    caller saw answered. `must_be_settled`: everything healed, so nothing may be stuck (I6).
    `may_be_denied`: effects that the receiver hid, so that people rightly found none.
    """
    found = Findings()
    with psycopg.connect(database_url) as connection:
        connection.execute("SET default_transaction_isolation = 'repeatable read'")
        connection.commit()
        attempts = _attempts(connection)
        known = _known(connection)
        found.duplicates += _duplicates(ledger, attempts)
        found.lost += _lost(ledger, known, acknowledged)
        for sentence, query in BROKEN.items():
            found.violations += [f"{sentence}: {row}" for row in connection.execute(query)]
        found.violations += chain_faults(connection)
        if must_be_settled:
            found.stuck += [f"stuck: {row}" for row in connection.execute(STUCK)]
            found.lost += _denied(connection, ledger, may_be_denied)
        found.work = {**known.states, "requests": sum(ledger.requests.values())}
        found.work |= {"effects": sum(ledger.effects.values()), "attempts": sum(attempts.values())}
    return found


@dataclass(slots=True)
class _Known:
    places: set[Place]
    states: dict[str, int]


def _known(connection: psycopg.Connection[Any]) -> _Known:
    rows = connection.execute("SELECT environment, key, state FROM operations_operation").fetchall()
    states: dict[str, int] = {"operations": len(rows)}
    for _, _, state in rows:
        states[state] = states.get(state, 0) + 1
    return _Known({(environment, key) for environment, key, _ in rows}, states)


def _attempts(connection: psycopg.Connection[Any]) -> dict[Place, int]:
    rows = connection.execute(
        "SELECT o.environment, o.key, count(*) FROM operations_attempt a"
        " JOIN operations_operation o ON o.id = a.operation_id GROUP BY o.environment, o.key"
    )
    return {(environment, key): count for environment, key, count in rows}


def _duplicates(ledger: Ledger, attempts: dict[Place, int]) -> Iterator[str]:
    """I1, and the reason for it: no request without an attempt written before it."""
    for place, count in ledger.effects.items():
        if count > 1:
            yield f"I1 {place}: {count} effects"
    for place, count in ledger.requests.items():
        if count > attempts.get(place, 0):
            yield f"I1 {place}: {count} requests, {attempts.get(place, 0)} attempts on record"


def _lost(ledger: Ledger, known: _Known, acknowledged: Collection[Place]) -> Iterator[str]:
    for place in sorted(set(acknowledged) - known.places):
        yield f"I3 {place}: its registration was acknowledged and is not on record"
    for place in sorted(set(ledger.effects) - known.places):
        yield f"I3 {place}: an effect of no operation on record"


def _denied(
    connection: psycopg.Connection[Any], ledger: Ledger, may_be_denied: Collection[Place]
) -> Iterator[str]:
    places = [place for place in ledger.effects if place not in may_be_denied]
    values = {"environments": [p[0] for p in places], "keys": [p[1] for p in places]}
    for row in connection.execute(DENIED, values):
        yield f"I3 {row}: there is an effect, and nobody is asked about it"
