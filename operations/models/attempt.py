"""One dispatch, written before the call, and how its sender says it ended."""

import pgtrigger
from django.db import models

from operations.models.columns import append_only, knows_word, word
from operations.protocol.states import AttemptOutcome


class Attempt(models.Model):
    """The promise of one send. UNIQUE (operation, generation): one send per generation.

    `send_deadline_at` is the last instant (database clock) at which the call may still leave.
    """

    operation = models.ForeignKey(
        "operations.Operation", on_delete=models.PROTECT, related_name="attempts"
    )
    generation = models.PositiveIntegerField()
    claim = models.ForeignKey("operations.Claim", on_delete=models.PROTECT)
    token = models.BigIntegerField()
    marked_at = models.DateTimeField()
    send_deadline_at = models.DateTimeField()
    send_within_seconds = models.PositiveIntegerField()
    payload_digest = models.CharField(max_length=64)
    request_digest = models.CharField(max_length=64, blank=True)
    idempotency_key = models.TextField()
    approval = models.ForeignKey("operations.Approval", null=True, on_delete=models.PROTECT)
    sender = models.TextField()
    nonce = models.TextField(blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["operation", "generation"], name="one_send_per_generation"
            ),
        ]
        triggers = [
            append_only(),
            pgtrigger.Trigger(
                name="an_attempt_is_marked_first",
                when=pgtrigger.Before,
                operation=pgtrigger.Insert,
                func="""
                    IF NOT EXISTS (
                        SELECT 1 FROM operations_operation o WHERE o.id = NEW.operation_id
                        AND o.state = 'sent_unknown' AND o.generation = NEW.generation
                        AND o.claim_token = NEW.token
                    ) THEN
                        RAISE EXCEPTION 'an attempt needs its operation marked under its token'
                            USING ERRCODE = 'check_violation';
                    END IF;
                    RETURN NEW;
                """,
            ),
        ]

    def __str__(self) -> str:
        return f"attempt {self.generation}"


class AttemptEnd(models.Model):
    """What a sender reported at the end, with the raw answer as it came.

    One end counts; a report under an older token (`is_stale`) is kept beside it as evidence.
    """

    attempt = models.ForeignKey(Attempt, on_delete=models.PROTECT, related_name="ends")
    outcome = word(AttemptOutcome)
    detail = models.TextField(blank=True)
    status = models.PositiveIntegerField(null=True)
    code = models.TextField(blank=True)
    raw = models.BinaryField(default=bytes)
    at = models.DateTimeField()
    token = models.BigIntegerField()
    is_stale = models.BooleanField(default=False)

    class Meta:
        constraints = [
            knows_word("outcome", AttemptOutcome),
            models.UniqueConstraint(
                fields=["attempt"], condition=models.Q(is_stale=False), name="one_end_per_attempt"
            ),
        ]
        triggers = [append_only()]

    def __str__(self) -> str:
        return f"{self.outcome} ({self.detail})"


class SenderGone(models.Model):
    """A person's record that the sending process is gone; two people close the attempt so."""

    attempt = models.ForeignKey(Attempt, on_delete=models.PROTECT, related_name="gone_records")
    person = models.ForeignKey("auth.User", on_delete=models.PROTECT)
    reason = models.TextField()
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["attempt", "person"], name="one_gone_record_a_person")
        ]
        triggers = [append_only()]

    def __str__(self) -> str:
        return f"sender gone, says {self.person_id}"
