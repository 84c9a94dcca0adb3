"""What every lookup at one receiver passes first."""

from django.db import models
from django.db.models import Q

from operations.models.columns import keep_rows


class LookupGate(models.Model):
    """A row per (environment, receiver): its circuit, its budget, its wish to be left alone.

    It is changed under its row's lock, on the database's clock alone. The lookups under way are
    counted in the ledger of claims, so that those of a killed worker end with their lease.
    """

    environment = models.TextField()
    receiver = models.TextField()
    failures_in_row = models.PositiveIntegerField(default=0)
    last_error = models.TextField(blank=True, default="")
    last_error_at = models.DateTimeField(null=True)
    # The circuit: open from `opened_at`, asked by one probe at a time from `open_until` on.
    opened_at = models.DateTimeField(null=True)
    open_until = models.DateTimeField(null=True)
    probe_token = models.BigIntegerField(null=True)
    probe_ends_at = models.DateTimeField(null=True)
    # What the receiver's Retry-After said, and when the budget has the next one.
    held_until = models.DateTimeField(null=True)
    next_ask_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["environment", "receiver"], name="one_gate_per_receiver"
            ),
            models.CheckConstraint(
                name="an_open_circuit_has_an_end",
                condition=Q(opened_at=None, open_until=None, probe_token=None)
                | Q(opened_at__isnull=False, open_until__isnull=False),
            ),
            models.CheckConstraint(
                name="a_probe_has_an_end",
                condition=Q(probe_token=None, probe_ends_at=None)
                | Q(probe_token__isnull=False, probe_ends_at__isnull=False),
            ),
        ]
        triggers = [keep_rows()]

    def __str__(self) -> str:
        return f"gate of {self.receiver} in {self.environment}"
