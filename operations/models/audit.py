"""The audit trail: one append-only line per change, chained per stream by the database."""

import pgtrigger
from django.db import models
from django.db.models import Q

from operations.models.columns import append_only


class AuditEntry(models.Model):
    """One line. `body` holds the canonical bytes of everything said; the trigger adds the chain.

    hash = SHA-256(prev_hash ‖ seq as 8 bytes ‖ body). `seq`, `prev_hash` and `hash` are filled in
    by the database alone. Names of people and their words are in AuditWords; the body holds their
    salted digests, so they can be erased without breaking the proof.
    """

    stream = models.TextField()
    operation = models.ForeignKey(
        "operations.Operation", null=True, on_delete=models.PROTECT, related_name="audit_entries"
    )
    seq = models.PositiveBigIntegerField()
    at = models.DateTimeField()
    actor_kind = models.TextField()
    actor_id = models.TextField()
    event = models.TextField()
    state_before = models.TextField(blank=True)
    state_after = models.TextField(blank=True)
    version = models.PositiveBigIntegerField(null=True)
    generation = models.PositiveIntegerField(null=True)
    token = models.BigIntegerField(null=True)
    cause = models.TextField(blank=True)
    detail = models.JSONField(default=dict)
    request_id = models.TextField(blank=True)
    body = models.BinaryField()
    prev_hash = models.BinaryField()
    hash = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["stream", "seq"], name="audit_chain_has_no_fork"),
        ]
        indexes = [
            models.Index(fields=["-at", "-id"], name="audit_newest_first"),
            models.Index(fields=["actor_kind", "actor_id", "-id"], name="audit_of_actor"),
            models.Index(
                fields=["operation", "-id"],
                name="audit_of_operation",
                condition=Q(operation__isnull=False),
            ),
        ]
        triggers = [
            append_only(),
            pgtrigger.Trigger(
                name="audit_chain_is_written_by_the_database",
                when=pgtrigger.Before,
                operation=pgtrigger.Insert,
                declare=[("last", "RECORD")],
                func="""
                    -- An operation's stream is serialised by its row lock; the others need one.
                    IF NEW.operation_id IS NULL THEN
                        PERFORM pg_advisory_xact_lock(hashtextextended(NEW.stream, 16));
                    END IF;
                    SELECT a.seq, a.hash INTO last FROM operations_auditentry a
                        WHERE a.stream = NEW.stream ORDER BY a.seq DESC LIMIT 1;
                    NEW.seq := COALESCE(last.seq, 0) + 1;
                    NEW.prev_hash := COALESCE(last.hash, decode(repeat('00', 32), 'hex'));
                    NEW.hash := sha256(NEW.prev_hash || int8send(NEW.seq) || NEW.body);
                    RETURN NEW;
                """,
            ),
        ]

    def __str__(self) -> str:
        return f"{self.stream} #{self.seq} {self.event}"


class AuditWords(models.Model):
    """The personal part of an entry: erasable, and provable while it is there."""

    entry = models.OneToOneField(AuditEntry, on_delete=models.PROTECT, related_name="words")
    salt = models.BinaryField()
    actor_name = models.TextField(blank=True)
    reason = models.TextField(blank=True)

    class Meta:
        verbose_name_plural = "audit words"

    def __str__(self) -> str:
        return self.actor_name
