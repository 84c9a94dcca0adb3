"""A stop of all dispatch, of an environment's or of a receiver's, effective at the mark."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from operations.models.columns import keep_rows


class Halt(models.Model):
    """While it is not lifted, no mark within its scope goes through. Empty means "all"."""

    environment = models.TextField(blank=True, default="")
    receiver = models.TextField(blank=True, default="")
    reason = models.TextField()
    halted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    at = models.DateTimeField()
    lifted_at = models.DateTimeField(null=True)
    lifted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    lift_reason = models.TextField(blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["environment", "receiver"],
                condition=Q(lifted_at=None),
                name="one_halt_per_scope",
            )
        ]
        triggers = [keep_rows()]

    def __str__(self) -> str:
        return f"halt of {self.environment or 'everything'} {self.receiver}".strip()
