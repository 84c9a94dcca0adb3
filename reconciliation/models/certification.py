"""What a probe of a receiver found, with its date; written once."""

from django.db import models

from operations.models.columns import append_only


class Certification(models.Model):
    """One `certify_receiver`. `claims` are those of the profile at that time.

    `rows` is a list of {probe, claimed, observed, finding}.
    """

    environment = models.TextField()
    receiver = models.TextField()
    at = models.DateTimeField()
    started_by = models.TextField()
    seed = models.TextField()
    claims = models.JSONField()
    rows = models.JSONField()

    class Meta:
        indexes = [
            models.Index(fields=["environment", "receiver", "-at"], name="latest_certification")
        ]
        triggers = [append_only()]

    def __str__(self) -> str:
        return f"{self.receiver} in {self.environment}, {self.at:%Y-%m-%d}"
