"""Every signed webhook that was ever accepted, as it came."""

from django.db import models

from operations.models.columns import append_only


class WebhookDelivery(models.Model):
    """UNIQUE (environment, receiver, webhook_id) for ever: a second delivery changes nothing.

    Other bytes under a used id are kept under that id, a line feed and the digest of the bytes.
    """

    environment = models.TextField()
    receiver = models.TextField()
    webhook_id = models.TextField()
    headers = models.JSONField(default=dict)
    raw = models.BinaryField()
    received_at = models.DateTimeField()
    receipt = models.ForeignKey("operations.Receipt", null=True, on_delete=models.PROTECT)
    outcome = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["environment", "receiver", "webhook_id"], name="one_delivery_per_webhook_id"
            )
        ]
        triggers = [append_only()]

    def __str__(self) -> str:
        return f"{self.receiver} {self.webhook_id}"
