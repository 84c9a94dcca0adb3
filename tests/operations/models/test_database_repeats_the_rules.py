"""The database refuses what the rules forbid, whoever writes the statement."""

import uuid

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from operations.actions.decide_approval import decide_approval
from operations.models import AuditEntry, Operation
from operations.protocol.states import State
from operations.protocol.transitions import state_pairs
from tests.build import (
    a_marked_operation,
    a_person,
    a_receipt,
    a_refund,
    an_operation,
    as_actor,
    receive,
)
from tests.database import as_superuser

pytestmark = pytest.mark.django_db


def run(statement, *values):
    """As the run-time role, in a savepoint, so that the next check can still ask."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.rowcount


def mark_without_an_attempt(operation):
    """The state alone, then what a commit checks."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE operations_operation SET state = 'sent_unknown', version = version + 1 "
            "WHERE id = %s",
            [operation.pk],
        )
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def run_with_every_right(statement, *values):
    """As the superuser with the triggers on: what the triggers alone refuse."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL ROLE NONE")
        cursor.execute(statement, values)


@pytest.mark.parametrize(
    "column",
    ["key", "environment", "payload_text", "payload_digest", "idempotency_key", "executor"],
)
def test_the_runtime_role_may_not_touch_the_identity(column):
    operation = an_operation()
    with pytest.raises(DatabaseError, match="permission denied"):
        run(f"UPDATE operations_operation SET {column} = 'x' WHERE id = %s", operation.pk)


def test_even_with_every_right_the_payload_never_changes():
    operation = an_operation()
    with pytest.raises(DatabaseError):
        run_with_every_right(
            "UPDATE operations_operation SET payload_text = '{}' WHERE id = %s", operation.pk
        )


@pytest.mark.parametrize(
    "table",
    ["attempt", "auditentry", "lookup", "explanation", "approvaldecision", "note"],
)
@pytest.mark.parametrize("verb", ["UPDATE {t} SET id = id", "DELETE FROM {t}", "TRUNCATE {t}"])
def test_the_runtime_role_can_only_add_evidence(table, verb):
    with pytest.raises(DatabaseError, match=r"permission denied|must be owner"):
        run(verb.format(t=f"operations_{table}"))


def test_no_operation_is_ever_deleted():
    operation = an_operation()
    with pytest.raises(DatabaseError):
        run_with_every_right("DELETE FROM operations_operation WHERE id = %s", operation.pk)


def test_evidence_is_append_only_even_with_every_right():
    operation, attempt = a_marked_operation()
    receive(operation, a_receipt(operation))
    for table in ("attempt", "receipt", "auditentry"):
        with pytest.raises(DatabaseError):
            run_with_every_right(
                f"DELETE FROM operations_{table} WHERE operation_id = %s", operation.pk
            )
    with pytest.raises(DatabaseError):
        run_with_every_right(
            "UPDATE operations_attempt SET sender = 'nobody' WHERE id = %s", attempt.pk
        )


def test_one_send_per_generation():
    _, attempt = a_marked_operation()
    with pytest.raises(IntegrityError, match="one_send_per_generation"):
        run(
            """INSERT INTO operations_attempt (operation_id, generation, claim_id, token, marked_at,
                send_deadline_at, send_within_seconds, payload_digest, request_digest,
                idempotency_key, sender, nonce)
            SELECT operation_id, generation, claim_id, token, marked_at, send_deadline_at,
                send_within_seconds, payload_digest, request_digest, idempotency_key, sender, nonce
            FROM operations_attempt WHERE id = %s""",
            attempt.pk,
        )


NOT_AFTER_READY = sorted(
    s for s in set(State) - {State.READY} if (State.READY, s) not in state_pairs()
)


@pytest.mark.parametrize("after", NOT_AFTER_READY)
def test_the_state_follows_the_table(after):
    operation = an_operation()
    with pytest.raises(IntegrityError):
        run(
            "UPDATE operations_operation SET state = %s, version = version + 1 WHERE id = %s",
            str(after),
            operation.pk,
        )


def test_sent_unknown_needs_an_attempt_on_record_at_the_commit():
    operation = an_operation()
    with pytest.raises(IntegrityError, match="needs an attempt"):
        mark_without_an_attempt(operation)


def test_an_operation_with_an_attempt_is_never_cancelled():
    operation, _ = a_marked_operation()
    with as_superuser(connection) as cursor:  # a row in a state that no path leads to
        cursor.execute(
            "UPDATE operations_operation SET state = 'ready' WHERE id = %s", [operation.pk]
        )
    with pytest.raises(IntegrityError, match="cannot be cancelled"):
        run(
            "UPDATE operations_operation SET state = 'cancelled', cause = 'withdrawn', "
            "version = version + 1 WHERE id = %s",
            operation.pk,
        )


def test_the_generation_grows_only_by_a_release():
    operation = an_operation()
    with pytest.raises(IntegrityError, match="only a release"):
        run(
            "UPDATE operations_operation SET generation = 2, version = version + 1 WHERE id = %s",
            operation.pk,
        )


def test_a_version_never_shrinks():
    operation, _ = a_marked_operation()
    with pytest.raises(IntegrityError, match="version must grow"):
        run("UPDATE operations_operation SET version = 1 WHERE id = %s", operation.pk)


def test_confirmed_needs_a_grade_and_an_effect():
    operation, _ = a_marked_operation()
    with pytest.raises(IntegrityError, match="only_confirmed_has_grade_and_effect"):
        run(
            "UPDATE operations_operation SET state = 'confirmed', version = version + 1 "
            "WHERE id = %s",
            operation.pk,
        )


def test_one_effect_belongs_to_one_operation():
    first, _ = a_marked_operation()
    second, _ = a_marked_operation()
    receive(first, a_receipt(first, effect_id="eff-1"))
    with pytest.raises(IntegrityError, match="one_operation_per_effect"):
        run(
            "UPDATE operations_operation SET state = 'confirmed', grade = 'receipt', "
            "effect_id = 'eff-1', version = version + 1 WHERE id = %s",
            second.pk,
        )


def test_nothing_goes_back_to_ready_without_a_new_generation():
    """Rule 2, whoever writes the statement."""
    operation, _ = a_marked_operation()
    with pytest.raises(IntegrityError, match="by a release"):
        run(
            "UPDATE operations_operation SET state = 'ready', version = version + 1 WHERE id = %s",
            operation.pk,
        )


def test_the_effect_that_confirmed_an_operation_stays():
    operation, _ = a_marked_operation()
    receive(operation, a_receipt(operation))
    with pytest.raises(IntegrityError, match="stays"):
        run("UPDATE operations_operation SET effect_id = 'another' WHERE id = %s", operation.pk)


def test_nobody_grants_a_request_without_answers_by_a_direct_statement():
    request = a_refund("150.00").approvals.get()
    with pytest.raises(IntegrityError, match="answers on record"):
        run(
            "UPDATE operations_approval SET given = 1, status = 'granted', "
            "decided_at = clock_timestamp(), valid_until = clock_timestamp() WHERE id = %s",
            request.pk,
        )


def test_a_yes_lives_no_longer_than_its_request_says():
    operation = a_refund("150.00")
    request = operation.approvals.get()
    decide_approval(
        approval_id=request.pk,
        actor=as_actor(a_person("", "approver")),
        is_yes=True,
        reason="Fine.",
        digest_seen=request.payload_digest,
    )
    with pytest.raises(IntegrityError, match="a yes lives"):
        run(
            "UPDATE operations_approval SET valid_until = valid_until + interval '1 s' "
            "WHERE id = %s",
            request.pk,
        )


def test_no_request_begins_as_granted():
    request = a_refund("150.00").approvals.get()
    with pytest.raises(IntegrityError, match="begins open"):
        run(
            """INSERT INTO operations_approval (operation_id, subject, choice, proposal, round,
                generation, version_seen, payload_digest, request_digest, policy_name, policy,
                sentence, role, needed, given, status, asked_count, excluded_ids, opened_at,
                expires_at, yes_lives_seconds, valid_until)
            SELECT operation_id, subject, choice, proposal, round, generation, version_seen,
                payload_digest, request_digest, policy_name, policy, sentence, role, 1, 1,
                'granted', 1, excluded_ids, opened_at, expires_at, 60, clock_timestamp()
            FROM operations_approval WHERE id = %s""",
            request.pk,
        )


def test_the_database_alone_writes_the_chain():
    operation = an_operation()
    run(
        """INSERT INTO operations_auditentry (stream, operation_id, seq, at, actor_kind, actor_id,
            event, state_before, state_after, cause, detail, request_id, body, prev_hash, hash)
        VALUES (%s, %s, 99, clock_timestamp(), 'agent', '1', 'forged', '', '', '', '{}', '', 'x',
            'y', 'z')""",
        f"operation:{operation.pk}",
        operation.pk,
    )
    forged = AuditEntry.objects.get(event="forged")
    first = AuditEntry.objects.get(operation=operation, seq=1)
    assert forged.seq == 2
    assert bytes(forged.prev_hash) == bytes(first.hash)
    assert bytes(forged.hash) != b"z"


def test_the_runtime_role_cannot_choose_an_entrys_id():
    with pytest.raises(DatabaseError, match="permission denied"):
        run("INSERT INTO operations_auditentry (id, stream, event) VALUES (1, 'access', 'x')")


def test_the_requester_cannot_decide_even_by_a_direct_insert():
    operation = a_refund("150.00")
    request = operation.approvals.get()
    statement = """INSERT INTO operations_approvaldecision
        (approval_id, person_id, is_yes, reason, payload_digest_seen, at)
        VALUES (%s, %s, true, '', %s, clock_timestamp())"""
    with pytest.raises(IntegrityError, match="may not decide"):
        run(statement, request.pk, operation.requested_by_id, request.payload_digest)
    colleague = a_person("", "approver")
    assert run(statement, request.pk, colleague.pk, request.payload_digest) == 1


def test_a_decision_on_other_bytes_is_refused():
    request = a_refund("150.00").approvals.get()
    with pytest.raises(IntegrityError, match="may not decide"):
        run(
            """INSERT INTO operations_approvaldecision
            (approval_id, person_id, is_yes, reason, payload_digest_seen, at)
            VALUES (%s, %s, true, '', %s, clock_timestamp())""",
            request.pk,
            a_person("", "approver").pk,
            "0" * 64,
        )


def test_a_payload_digest_is_the_digest_of_the_payload():
    operation = an_operation()
    copy = Operation.objects.get(pk=operation.pk)
    copy.pk, copy.key, copy.payload_digest = uuid.uuid4(), "another", "0" * 64
    copy._state.adding = True
    with pytest.raises(IntegrityError, match="payload_digest"), transaction.atomic():
        copy.save(force_insert=True)
