"""Operations put into the database by the thousand, as a mark leaves them, for what follows.

The rows are what register, claim and mark write, in their order; the triggers and constraints
judge them as any others. Their lease and send deadline are over.
"""

import hashlib

import psycopg

from operations.models import Agent

PAYLOAD = '{"sku":"vanilla","quantity":6}'
CANONICAL = b'{"quantity":6,"sku":"vanilla"}'

_STEPS = (
    """
    INSERT INTO operations_operation (
        id, environment, key, kind, receiver, executor, reference, goal, context, agent_id,
        requested_by_id, payload_text, payload_canonical, payload_digest, title, currency,
        idempotency_key, request_method, request_url, request_digest, state, cause, grade,
        effect_id, is_reversed, version, generation, state_since, created_at, updated_at,
        claims_without_mark, claim_holder, claim_purpose, claim_given_back)
    SELECT gen_random_uuid(), 'production', %(prefix)s || n, 'supplier.order', 'sandbox', 'agent',
        '', '', '', %(agent)s, %(owner)s, %(payload)s, %(canonical)s, %(digest)s, '6 × vanilla', '',
        %(prefix)s || n, '', '', '', 'ready', '', '', '', false, 1, 1, now() - interval '5 min',
        now() - interval '5 min', now() - interval '5 min', 0, '', '', false
    FROM generate_series(1, %(count)s) n
    """,
    """
    UPDATE operations_operation SET claim_token = nextval('operations_fencing_token'),
        claim_holder = 'bench', claim_purpose = 'dispatch',
        claim_taken_at = now() - interval '5 min', claim_expires_at = now() - interval '4 min',
        state = 'sent_unknown', version = 2, next_try_at = %(due)s
    WHERE key LIKE %(prefix)s || '%%'
    """,
    """
    INSERT INTO operations_claim (
        operation_id, slot, purpose, token, holder, agent_id, version_seen, lease_seconds,
        taken_at, expires_at, ended_at, "end", nonce)
    SELECT id, 'machine', 'dispatch', claim_token, 'bench', %(agent)s, 1, 60, claim_taken_at,
        claim_expires_at, claim_expires_at, 'expired', ''
    FROM operations_operation WHERE key LIKE %(prefix)s || '%%'
    """,
    """
    INSERT INTO operations_attempt (
        operation_id, generation, claim_id, token, marked_at, send_deadline_at,
        send_within_seconds, payload_digest, request_digest, idempotency_key, sender, nonce)
    SELECT o.id, 1, c.id, c.token, c.taken_at, c.taken_at + interval '8 s', 8, o.payload_digest,
        '', o.idempotency_key, 'bench', ''
    FROM operations_operation o JOIN operations_claim c ON c.operation_id = o.id
    WHERE o.key LIKE %(prefix)s || '%%'
    """,
    *(
        f"""
    INSERT INTO operations_auditentry (
        stream, operation_id, seq, at, actor_kind, actor_id, event, state_before, state_after,
        version, generation, token, cause, detail, request_id, body, prev_hash, hash)
    SELECT 'operation:' || id, id, {seq}, now(), 'agent', '1', '{event}', state, state, 1, 1, 1, '',
        '{{}}', '', '{{"event":"{event}"}}'::bytea, '', ''
    FROM operations_operation WHERE key LIKE %(prefix)s || '%%'
    """  # noqa: S608  our own words
        for seq, event in enumerate(("register", "claim", "mark"), start=1)
    ),
)


def plant_unknowns(
    database_url: str,
    count: int,
    *,
    prefix: str,
    due_in_seconds: float,
    has_triggers: bool = True,
) -> None:
    """`count` operations in sent_unknown with the keys `prefix`1, `prefix`2 and so on.

    A million take a superuser's connection and no triggers; their trails are then no chains.
    """
    agent = Agent.objects.get(name="bench")
    values = {
        "agent": agent.pk,
        "owner": agent.responsible_id,
        "payload": PAYLOAD,
        "canonical": CANONICAL,
        "digest": hashlib.sha256(CANONICAL).hexdigest(),
        "prefix": prefix,
        "count": count,
    }
    with psycopg.connect(database_url) as connection:
        if not has_triggers:
            connection.execute("SET session_replication_role = replica")
        found = connection.execute(
            "SELECT now() + make_interval(secs => %s)", [due_in_seconds]
        ).fetchone()
        assert found is not None
        for step in _STEPS:
            connection.execute(step, {**values, "due": found[0]})
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("ANALYZE operations_operation")
