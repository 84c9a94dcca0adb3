"""Evidence from a receiver, kept with its raw bytes, and what was said about it since."""

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import Q

from operations.models.columns import append_only, keep_rows, knows_word, word
from operations.protocol.states import Channel, Finding, LookupResult, ReceiptStatus, Verdict


class Receipt(models.Model):
    """One receipt as it came. Only an unmatched one may later be tied to its operation, once.

    `differences` is a list of {pointer, expected, got, reason}; `not_compared` a list of JSON
    pointers that a profile's significant fields left out.
    """

    operation = models.ForeignKey(
        "operations.Operation", null=True, on_delete=models.PROTECT, related_name="receipts"
    )
    environment = models.TextField()
    receiver = models.TextField()
    operation_key = models.TextField(blank=True)
    channel = word(Channel)
    status = word(ReceiptStatus)
    effect_id = models.TextField(blank=True)
    payload_text = models.TextField(blank=True)
    payload_digest = models.CharField(max_length=64, blank=True)
    occurred_at = models.DateTimeField(null=True)
    raw = models.BinaryField(default=bytes)
    received_at = models.DateTimeField()
    verdict = word(Verdict)
    differences = models.JSONField(default=list)
    not_compared = models.JSONField(default=list)
    token = models.BigIntegerField(null=True)
    generation = models.PositiveIntegerField(null=True)
    is_stale = models.BooleanField(default=False)
    needs_explanation = models.BooleanField(default=False)
    reported_by_agent = models.ForeignKey("operations.Agent", null=True, on_delete=models.PROTECT)
    entered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        constraints = [
            knows_word("channel", Channel),
            knows_word("status", ReceiptStatus),
            knows_word("verdict", Verdict),
            models.CheckConstraint(
                name="a_receipt_of_a_person_names_them",
                condition=~Q(channel=Channel.PERSON) | Q(entered_by__isnull=False),
            ),
        ]
        indexes = [
            models.Index(fields=["operation", "received_at"], name="receipts_of_operation"),
            models.Index(fields=["-received_at", "-id"], name="receipts_newest_first"),
            models.Index(
                fields=["environment", "receiver", "operation_key"],
                name="receipts_unmatched",
                condition=Q(operation=None),
            ),
            models.Index(
                fields=["operation"],
                name="receipts_to_explain",
                condition=Q(needs_explanation=True),
            ),
        ]
        triggers = [
            keep_rows(),
            pgtrigger.Protect(
                name="a_matched_receipt_never_changes",
                operation=pgtrigger.Update,
                condition=pgtrigger.Q(old__operation__isnull=False),
            ),
            pgtrigger.ReadOnly(name="receipts_are_evidence", exclude=["operation"]),
        ]

    def __str__(self) -> str:
        return f"{self.channel} receipt {self.effect_id or '(no effect id)'}: {self.verdict}"


class Explanation(models.Model):
    """What people found about evidence that spoke of an effect and settled nothing."""

    receipt = models.OneToOneField(
        Receipt, null=True, on_delete=models.PROTECT, related_name="explanation"
    )
    attempt_end = models.OneToOneField(
        "operations.AttemptEnd", null=True, on_delete=models.PROTECT, related_name="explanation"
    )
    finding = word(Finding)
    reason = models.TextField()
    at = models.DateTimeField()
    actor_kind = models.TextField()
    person = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT)

    class Meta:
        constraints = [
            knows_word("finding", Finding),
            models.CheckConstraint(
                name="an_explanation_is_about_one_thing",
                condition=Q(receipt=None, attempt_end__isnull=False)
                | Q(receipt__isnull=False, attempt_end=None),
            ),
        ]
        triggers = [append_only()]

    def __str__(self) -> str:
        return f"{self.finding}: {self.reason}"


class Lookup(models.Model):
    """One question to a receiver. `asked_at` is the database's clock before the question."""

    operation = models.ForeignKey(
        "operations.Operation", on_delete=models.PROTECT, related_name="lookups"
    )
    generation = models.PositiveIntegerField()
    asked_at = models.DateTimeField()
    answered_at = models.DateTimeField()
    result = word(LookupResult)
    detail = models.TextField(blank=True)
    status = models.PositiveIntegerField(null=True)
    raw = models.BinaryField(default=bytes)
    receipt = models.ForeignKey(Receipt, null=True, on_delete=models.PROTECT)
    token = models.BigIntegerField(null=True)

    class Meta:
        constraints = [knows_word("result", LookupResult)]
        indexes = [
            models.Index(fields=["operation", "-asked_at"], name="lookups_of_operation"),
            models.Index(
                fields=["asked_at"],
                name="lookups_answered",
                condition=~Q(result=LookupResult.COULD_NOT_ASK),
            ),
        ]
        triggers = [append_only()]

    def __str__(self) -> str:
        return f"{self.result} at {self.asked_at:%H:%M:%S}"
