"""One open question for a person, and the notes people leave each other."""

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import Q

from operations.models.columns import append_only, keep_rows, knows_word, word
from operations.protocol.states import Finding, Question


class Review(models.Model):
    """A question that only a person can answer; at most one open per (operation, question)."""

    operation = models.ForeignKey(
        "operations.Operation", on_delete=models.PROTECT, related_name="reviews"
    )
    question = word(Question)
    reason = models.TextField()
    receipt = models.ForeignKey("operations.Receipt", null=True, on_delete=models.PROTECT)
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    finding = word(Finding, blank=True, default="")
    closing_reason = models.TextField(blank=True, default="")
    closed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["operation", "question"],
                condition=Q(closed_at=None),
                name="one_open_review_per_question",
            ),
            knows_word("question", Question),
            knows_word("finding", Finding, blank=True),
            models.CheckConstraint(
                name="a_closed_review_has_a_finding",
                condition=Q(closed_at=None, finding="")
                | Q(closed_at__isnull=False) & ~Q(finding=""),
            ),
        ]
        indexes = [
            models.Index(
                fields=["opened_at", "id"],
                name="reviews_open_oldest_first",
                condition=Q(closed_at=None),
            ),
            models.Index(fields=["operation", "opened_at"], name="reviews_of_operation"),
        ]
        triggers = [
            keep_rows(),
            pgtrigger.Protect(
                name="a_closed_review_stays_closed",
                operation=pgtrigger.Update,
                condition=pgtrigger.Q(old__closed_at__isnull=False),
            ),
            pgtrigger.ReadOnly(
                name="the_question_never_changes",
                fields=["operation", "question", "reason", "receipt", "opened_at"],
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question} of {self.operation_id}"


class Note(models.Model):
    """What one person left for the next."""

    operation = models.ForeignKey(
        "operations.Operation", on_delete=models.PROTECT, related_name="notes"
    )
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    text = models.TextField()
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["operation", "at"], name="notes_of_operation")]
        triggers = [append_only()]

    def __str__(self) -> str:
        return self.text[:60]
