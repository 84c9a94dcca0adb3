"""The floor: the same rows in the same four durable commits, written by hand with psycopg.

No rule is checked, nothing is read back that the next statement does not need, every value that
can be is computed once. The tables, constraints and triggers are the product's own.
"""

import hashlib
import uuid
from collections.abc import Callable

import psycopg

from operations.models import Agent

_PAYLOAD = '{"quantity":6,"sku":"vanilla"}'
_DIGEST = hashlib.sha256(_PAYLOAD.encode()).hexdigest()
_BODY = b'{"v":1,"event":"bare"}' * 20  # about as long as an entry's body

_OPERATION = """
    INSERT INTO operations_operation (
        id, environment, key, kind, receiver, executor, reference, goal, context, agent_id,
        requested_by_id, payload_text, payload_canonical, payload_digest, title, currency,
        idempotency_key, request_method, request_url, request_digest, state, cause, grade,
        effect_id, is_reversed, version, generation, state_since, created_at, updated_at,
        claims_without_mark, claim_holder, claim_purpose, claim_given_back)
    VALUES (
        %(id)s, 'production', %(key)s, 'supplier.order', 'sandbox', 'agent', '', '', '', %(agent)s,
        %(owner)s, %(payload)s, %(canonical)s, %(digest)s, '6 × vanilla', '',
        %(key)s, '', '', '', 'ready', '', '', '', false, 1, 1, clock_timestamp(),
        clock_timestamp(), clock_timestamp(), 0, '', '', false)
"""
_AUDIT = """
    INSERT INTO operations_auditentry (
        stream, operation_id, seq, at, actor_kind, actor_id, event, state_before, state_after,
        version, generation, token, cause, detail, request_id, body, prev_hash, hash)
    VALUES (
        %(stream)s, %(id)s, 0, clock_timestamp(), 'agent', '1', 'bare', 'ready', 'ready', 1, 1, 1,
        '', '{}', '', %(body)s, '', '')
"""
_CLAIM = """
    UPDATE operations_operation SET claim_token = nextval('operations_fencing_token'),
        claim_holder = 'bench', claim_purpose = 'dispatch', claim_taken_at = clock_timestamp(),
        claim_expires_at = clock_timestamp() + interval '60 s', claims_without_mark = 1
    WHERE id = %(id)s AND state = 'ready' AND version = 1 AND claim_token IS NULL
    RETURNING claim_token
"""
_CLAIM_ROW = """
    INSERT INTO operations_claim (
        operation_id, slot, purpose, token, holder, agent_id, version_seen, lease_seconds,
        taken_at, expires_at, "end", nonce)
    VALUES (
        %(id)s, 'machine', 'dispatch', %(token)s, 'bench', %(agent)s, 1, 60, clock_timestamp(),
        clock_timestamp() + interval '60 s', '', '')
    RETURNING id
"""
_MARK = """
    UPDATE operations_operation SET state = 'sent_unknown', version = 2,
        state_since = clock_timestamp(), updated_at = clock_timestamp(), claims_without_mark = 0,
        next_try_at = clock_timestamp()
    WHERE id = %(id)s AND state = 'ready' AND claim_token = %(token)s
"""
_ATTEMPT = """
    INSERT INTO operations_attempt (
        operation_id, generation, claim_id, token, marked_at, send_deadline_at,
        send_within_seconds, payload_digest, request_digest, idempotency_key, sender, nonce)
    VALUES (
        %(id)s, 1, %(claim)s, %(token)s, clock_timestamp(), clock_timestamp(), 8, %(digest)s, '',
        %(key)s, 'bench', '')
    RETURNING id
"""
_RECEIPT = """
    INSERT INTO operations_receipt (
        operation_id, environment, receiver, operation_key, channel, status, effect_id,
        payload_text, payload_digest, raw, received_at, verdict, differences, not_compared, token,
        generation, is_stale, needs_explanation, reported_by_agent_id)
    VALUES (
        %(id)s, 'production', 'sandbox', %(key)s, 'response', 'confirmed', %(key)s, %(payload)s,
        %(digest)s, %(body)s, clock_timestamp(), 'confirmed', '[]', '[]', %(token)s, 1, false,
        false, %(agent)s)
"""
_CONFIRM = """
    UPDATE operations_operation SET state = 'confirmed', grade = 'receipt, reported',
        effect_id = %(key)s, version = 3, state_since = clock_timestamp(),
        updated_at = clock_timestamp(), claim_expires_at = clock_timestamp()
    WHERE id = %(id)s AND state = 'sent_unknown' AND version = 2
"""
_END = """
    INSERT INTO operations_attemptend (attempt_id, outcome, detail, code, raw, at, token, is_stale)
    VALUES (%(attempt)s, 'receipt', '', '', '', clock_timestamp(), %(token)s, false)
"""
_END_CLAIM = """
    UPDATE operations_claim SET ended_at = clock_timestamp(), "end" = 'finished'
    WHERE id = %(claim)s
"""


class BareLifecycle:
    """One connection a thread, prepared statements, four commits an operation."""

    def __init__(self, database_url: str) -> None:
        self.database_url = database_url
        agent = Agent.objects.get(name="bench")
        self.fixed = {
            "agent": agent.pk,
            "owner": agent.responsible_id,
            "payload": _PAYLOAD,
            "canonical": _PAYLOAD.encode(),
            "digest": _DIGEST,
            "body": _BODY,
        }

    def work(self, is_over: Callable[[], bool]) -> int:
        """How many operations this thread wrote until `is_over`."""
        count = 0
        with psycopg.connect(self.database_url, prepare_threshold=1) as connection:
            while not is_over():
                self._one(connection)
                count += 1
        return count

    def _one(self, connection: psycopg.Connection) -> None:
        identity = uuid.uuid4()
        values = {
            **self.fixed,
            "id": identity,
            "key": f"bench-{identity}",
            "stream": f"operation:{identity}",
        }
        cursor = connection.cursor()
        self._commit(cursor, values, _OPERATION)
        (values["token"],) = cursor.execute(_CLAIM, values).fetchone() or ()
        (values["claim"],) = cursor.execute(_CLAIM_ROW, values).fetchone() or ()
        self._commit(cursor, values)
        cursor.execute(_MARK, values)
        (values["attempt"],) = cursor.execute(_ATTEMPT, values).fetchone() or ()
        self._commit(cursor, values)
        self._commit(cursor, values, _RECEIPT, _CONFIRM, _END, _END_CLAIM)

    def _commit(self, cursor: psycopg.Cursor, values: dict[str, object], *statements: str) -> None:
        for statement in (*statements, _AUDIT):
            cursor.execute(statement, values)
        cursor.connection.commit()
