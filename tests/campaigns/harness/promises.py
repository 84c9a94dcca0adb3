"""The promises as SQL: what a query finds is an operation for which one was broken.

No receiver of the campaigns names significant members, so that a receipt must carry the whole
payload, compared here as PostgreSQL compares JSON, whatever the product said about it.
An approval precedes the mark of its own generation; that is told by the generations, since letting
time pass moves the instants.
"""

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
                AND CASE WHEN pg_input_is_valid(r.payload_text, 'jsonb')
                        AND pg_input_is_valid(o.payload_text, 'jsonb')
                    THEN r.payload_text::jsonb = o.payload_text::jsonb
                    ELSE r.payload_text = o.payload_text END)
            OR o.grade = 'attested' AND EXISTS (
                SELECT 1 FROM operations_approval p
                JOIN operations_approvaldecision d ON d.approval_id = p.id AND d.is_yes
                JOIN operations_receipt r ON r.id::text = p.proposal #>> '{terms,receipt}'
                WHERE p.operation_id = o.id AND p.subject = 'proposal'
                AND p.choice IN ('attest', 'settle_review') AND p.status = 'granted'
                AND d.person_id <> p.requested_by_id
                AND r.operation_id = o.id AND r.effect_id = o.effect_id))
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
        WHERE p.operation_id <> o.id OR p.subject = 'proposal' OR p.generation <> a.generation
           OR p.payload_digest <> o.payload_digest OR p.valid_until < a.marked_at
           OR p.needed > (SELECT count(DISTINCT d.person_id) FROM operations_approvaldecision d
                WHERE d.approval_id = p.id AND d.is_yes)
    """,
    "an attempt names the yes that it was asked to have": """
        SELECT o.environment, o.key, a.generation::text FROM operations_attempt a
        JOIN operations_operation o ON o.id = a.operation_id
        WHERE a.approval_id IS NULL AND EXISTS (
            SELECT 1 FROM operations_approval p WHERE p.operation_id = o.id
            AND p.subject <> 'proposal' AND p.generation <= a.generation)
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

# Nothing will happen by itself any more, and no person is asked. An interval is what a sweep or a
# worker may be late.
STUCK = """
    SELECT o.environment, o.key, o.state FROM operations_operation o WHERE
        (o.state = 'awaiting_approval' AND NOT EXISTS (
            SELECT 1 FROM operations_approval p WHERE p.operation_id = o.id AND p.status = 'open'
            AND p.subject <> 'proposal'
            AND p.expires_at > clock_timestamp() - interval '60 seconds'))
        OR (o.state = 'ready' AND o.executor = 'console' AND NOT EXISTS (
            SELECT 1 FROM operations_review r
            WHERE r.operation_id = o.id AND r.closed_at IS NULL))
        OR (o.state = 'sent_unknown' AND NOT EXISTS (
            SELECT 1 FROM operations_review r
            WHERE r.operation_id = o.id AND r.closed_at IS NULL))
        OR EXISTS (
            SELECT 1 FROM operations_claim c WHERE c.operation_id = o.id AND c.ended_at IS NULL
            AND c.expires_at < clock_timestamp() - interval '30 seconds')
        OR (o.state = 'confirmed' AND o.grade = 'receipt, reported'
            AND o.next_try_at < clock_timestamp() - interval '60 seconds')
"""

# A receiver's effect that the record denies while nobody is asked about it.
DENIED = """
    SELECT environment, key, state FROM operations_operation o
    WHERE (environment, key) IN (SELECT * FROM unnest(%(environments)s::text[], %(keys)s::text[]))
    AND state IN ('refused', 'not_executed', 'cancelled', 'ready', 'awaiting_approval')
    AND NOT EXISTS (
        SELECT 1 FROM operations_review r WHERE r.operation_id = o.id AND r.closed_at IS NULL)
"""
