"""The ledger of claims: who held what, with which token, and how it ended."""

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import Q

from operations.models.columns import keep_rows, knows_word, word
from operations.protocol.states import ClaimEnd, Purpose, Slot


class Claim(models.Model):
    """The exclusive right to act, with a lease and a fencing token. It ends once."""

    operation = models.ForeignKey(
        "operations.Operation", on_delete=models.PROTECT, related_name="claims"
    )
    slot = word(Slot)
    purpose = word(Purpose)
    token = models.BigIntegerField(unique=True)
    holder = models.TextField()
    agent = models.ForeignKey("operations.Agent", null=True, on_delete=models.PROTECT)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT)
    version_seen = models.PositiveBigIntegerField()
    lease_seconds = models.PositiveIntegerField()
    taken_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    end = word(ClaimEnd, blank=True, default="")
    nonce = models.TextField(blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["operation", "slot"],
                condition=Q(ended_at=None),
                name="one_live_claim_per_slot",
            ),
            knows_word("slot", Slot),
            knows_word("purpose", Purpose),
            knows_word("end", ClaimEnd, blank=True),
            models.CheckConstraint(
                name="claim_purpose_fits_slot",
                condition=Q(slot=Slot.REVIEW, purpose=Purpose.REVIEW)
                | Q(slot=Slot.MACHINE) & ~Q(purpose=Purpose.REVIEW),
            ),
            models.CheckConstraint(
                name="claim_end_has_a_time",
                condition=Q(ended_at=None, end="") | Q(ended_at__isnull=False) & ~Q(end=""),
            ),
        ]
        indexes = [models.Index(fields=["operation", "-token"], name="claims_of_operation")]
        triggers = [
            keep_rows(),
            pgtrigger.ReadOnly(
                name="claim_identity_never_changes",
                fields=["operation", "slot", "purpose", "token", "holder", "version_seen", "nonce"],
            ),
            pgtrigger.Protect(
                name="an_ended_claim_stays_ended",
                operation=pgtrigger.Update,
                condition=pgtrigger.Q(old__ended_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"token {self.token} of {self.holder}"
