"""A receiver's export as it came: its file, whole, where every web and worker host reads it."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from operations.models.columns import append_only, knows_word, word
from reconciliation.protocol.statements.outcomes import Road

CHUNK_BYTES = 1024 * 1024


class Statement(models.Model):
    """One file, once: the same bytes for the same receiver, form and road are the same row.

    `profile` names its form in opsconsole.toml. `digest` is the SHA-256 of its bytes, hex.
    `started_by` is the account of the machine, on the machine's road.
    """

    environment = models.TextField()
    receiver = models.TextField()
    profile = models.TextField()
    road = word(Road)
    file_name = models.TextField()
    digest = models.CharField(max_length=64)
    size_bytes = models.PositiveBigIntegerField()
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    started_by = models.TextField(blank=True, default="")
    at = models.DateTimeField()

    class Meta:
        constraints = [
            knows_word("road", Road),
            models.UniqueConstraint(
                fields=["environment", "receiver", "profile", "road", "digest"],
                name="one_statement_per_file",
            ),
            models.CheckConstraint(
                name="a_statement_says_who_brought_it",
                condition=Q(road=Road.PERSON, uploaded_by__isnull=False, started_by="")
                | Q(road=Road.MACHINE, uploaded_by=None) & ~Q(started_by=""),
            ),
        ]
        indexes = [models.Index(fields=["-at", "-id"], name="statements_newest_first")]
        triggers = [append_only()]

    def __str__(self) -> str:
        return f"statement {self.pk} of {self.receiver} in {self.environment}"


class StatementChunk(models.Model):
    """A piece of a file, CHUNK_BYTES long but for the last; `number` counts from 0."""

    pk = models.CompositePrimaryKey("statement_id", "number")
    statement = models.ForeignKey(Statement, on_delete=models.PROTECT, db_index=False)
    number = models.PositiveIntegerField()
    body = models.BinaryField()

    class Meta:
        triggers = [append_only()]

    def __str__(self) -> str:
        return f"piece {self.number} of statement {self.statement_id}"
