"""Whoever edits the record behind the product's back is found, and the place is named."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from operations.actions.add_note import add_note
from operations.actions.take_case import take_case
from operations.models import AuditEntry, AuditWords
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


def verify(**options):
    out = StringIO()
    call_command("verify_audit", stdout=out, **options)
    return out.getvalue()


def tamper(statement, **values):
    with as_superuser(connection) as cursor:
        cursor.execute(statement, values)
        assert cursor.rowcount > 0


@pytest.fixture
def settled():
    operation, _ = a_marked_operation()
    receive(operation, a_receipt(operation))
    operation.refresh_from_db()
    return operation


@pytest.fixture
def noted():
    operation = an_operation()
    person = a_person("ruth", "operator")
    add_note(operation_id=operation.pk, actor=as_actor(person), text="Rang them; they call back.")
    return operation


def last_entry(operation):
    return AuditEntry.objects.filter(operation=operation).order_by("-seq")[0]


def test_what_the_actions_wrote_is_whole(settled, noted):
    entries = AuditEntry.objects.count()
    assert verify() == f"Whole: {entries} entries in 2 trails; 0 of them with erased words.\n"


def test_one_operation_is_checked_by_its_id_and_by_its_key(settled, noted):
    count = AuditEntry.objects.filter(operation=settled).count()
    assert verify(operation=str(settled.pk)).startswith(f"Whole: {count} entries in 1 trails")
    assert verify(operation=settled.key) == verify(operation=str(settled.pk))


def test_an_operation_that_is_not_there_is_said():
    with pytest.raises(CommandError, match="expected an operation's id or key, got neither"):
        verify(operation="order-404")


def test_an_edited_body_breaks_the_chain_where_it_was_edited(settled):
    entry = AuditEntry.objects.get(operation=settled, event="mark")
    changed = bytes(entry.body).replace(b'"mark"', b'"note"')
    tamper(
        "UPDATE operations_auditentry SET body = %(b)s WHERE id = %(id)s", b=changed, id=entry.pk
    )
    with pytest.raises(CommandError, match=rf"operation:{settled.pk} #{entry.seq}: expected hash"):
        verify()


def test_a_body_that_was_hashed_anew_breaks_the_chain_at_the_next_entry(settled):
    entry = AuditEntry.objects.get(operation=settled, seq=1)
    tamper(
        "UPDATE operations_auditentry SET body = %(b)s,"
        " hash = sha256(prev_hash || int8send(seq) || %(b)s) WHERE id = %(id)s",
        b=bytes(entry.body).replace(b"register", b"released"),
        id=entry.pk,
    )
    tamper("UPDATE operations_auditentry SET event = 'released' WHERE id = %(id)s", id=entry.pk)
    with pytest.raises(CommandError, match=r"#2: expected the hash of entry 1 before it"):
        verify()


@pytest.mark.parametrize(
    ("column", "value", "told"),
    [
        ("actor_id", "someone", 'expected actor_id "reconciler", as hashed, got "someone"'),
        ("event", "note", 'expected event "confirm", as hashed, got "note"'),
        ("at", "2020-01-01T00:00:00Z", 'got "2020-01-01T00:00:00\\+00:00"'),
        ("state_after", "refused", 'expected state_after "confirmed"'),
        ("detail", '{"receipt": 1.5}', "expected detail"),
        ("request_id", "other", "expected request_id"),
    ],
)
def test_an_edited_column_is_found_though_the_chain_is_whole(settled, column, value, told):
    entry = AuditEntry.objects.get(operation=settled, event="confirm")
    tamper(
        f"UPDATE operations_auditentry SET {column} = %(v)s WHERE id = %(id)s",
        v=value,
        id=entry.pk,
    )
    with pytest.raises(CommandError, match=rf"#{entry.seq}: .*{told}"):
        verify()


def test_a_removed_entry_leaves_a_gap(settled):
    entry = AuditEntry.objects.get(operation=settled, event="mark")
    tamper("DELETE FROM operations_auditentry WHERE id = %(id)s", id=entry.pk)
    with pytest.raises(CommandError, match=rf"expected number {entry.seq}, got {entry.seq + 1}"):
        verify()


def test_a_cut_off_end_is_found_by_the_operations_version(settled):
    tamper("DELETE FROM operations_auditentry WHERE id = %(id)s", id=last_entry(settled).pk)
    with pytest.raises(CommandError, match="expected the end of the trail at version"):
        verify()


def test_a_trail_that_is_gone_is_found_by_its_operation(settled):
    tamper("DELETE FROM operations_auditentry WHERE operation_id = %(id)s", id=settled.pk)
    with pytest.raises(CommandError, match=rf"operation:{settled.pk}: expected entries"):
        verify()


def test_a_state_that_no_entry_tells_of_is_found(settled):
    tamper(
        "UPDATE operations_operation SET state = 'refused', grade = '', effect_id = ''"
        " WHERE id = %(id)s",
        id=settled.pk,
    )
    with pytest.raises(CommandError, match="refused, as the operation is, got version"):
        verify()


@pytest.mark.parametrize(("column", "found"), [("reason", "reason"), ("actor_name", "actor_name")])
def test_other_words_than_the_digest_proves_are_found(column, found):
    operation = an_operation()
    person = a_person("ruth", "operator")
    take_case(operation_id=operation.pk, actor=as_actor(person), version=operation.version)
    entry = last_entry(operation)
    tamper(
        f"UPDATE operations_auditwords SET {column} = 'nobody' WHERE entry_id = %(id)s",
        id=entry.pk,
    )
    with pytest.raises(CommandError, match=rf"#{entry.seq}: expected the {found} that its digest"):
        verify()


def test_erased_words_break_nothing_and_are_counted(noted):
    AuditWords.objects.filter(entry=last_entry(noted)).update(actor_name="", reason="")
    assert "1 of them with erased words" in verify()


def test_words_that_are_gone_without_their_erasure_are_found(noted):
    tamper("DELETE FROM operations_auditwords WHERE entry_id = %(id)s", id=last_entry(noted).pk)
    with pytest.raises(CommandError, match="or their erasure on record, got neither"):
        verify()


def test_every_broken_trail_is_named(settled):
    other = a_refund()
    for operation in (settled, other):
        tamper("DELETE FROM operations_auditentry WHERE operation_id = %(id)s", id=operation.pk)
    with pytest.raises(CommandError) as caught:
        verify()
    assert str(settled.pk) in str(caught.value)
    assert str(other.pk) in str(caught.value)
