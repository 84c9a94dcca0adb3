"""One business effect that may happen at most once at one receiver."""

import uuid

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import F, Q

from operations.models.columns import keep_rows, knows_word, word
from operations.models.operation_triggers import OPERATION_TRIGGERS
from operations.protocol.states import Cause, Executor, Grade, Purpose, State

IMMUTABLE = (
    "id",
    "environment",
    "key",
    "kind",
    "receiver",
    "executor",
    "reference",
    "goal",
    "context",
    "agent",
    "requested_by",
    "payload_text",
    "payload_canonical",
    "payload_digest",
    "title",
    "amount",
    "currency",
    "idempotency_key",
    "request_method",
    "request_url",
    "request_body",
    "request_digest",
    "supersedes",
    "compensates",
    "created_at",
)


class Operation(models.Model):
    """The record: identity and payload never change, the rest moves by the transition table.

    `payload_text` is the JSON as it was sent to us, number lexemes kept; `payload_canonical` its
    canonical bytes (rule P); `payload_digest` the SHA-256 of those, 64 hex digits. Amounts are in
    the currency's major unit.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    environment = models.TextField()
    key = models.TextField()
    kind = models.TextField()
    receiver = models.TextField()
    executor = word(Executor, default=Executor.AGENT)
    reference = models.TextField(blank=True)
    goal = models.TextField(blank=True)
    context = models.TextField(blank=True)
    agent = models.ForeignKey(
        "operations.Agent", null=True, on_delete=models.PROTECT, related_name="operations"
    )
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    payload_text = models.TextField()
    payload_canonical = models.BinaryField()
    payload_digest = models.CharField(max_length=64)
    title = models.TextField(blank=True)
    amount = models.DecimalField(max_digits=40, decimal_places=12, null=True)
    currency = models.TextField(blank=True)
    idempotency_key = models.TextField()
    request_method = models.TextField(blank=True)
    request_url = models.TextField(blank=True)
    request_body = models.BinaryField(null=True)
    request_digest = models.CharField(max_length=64, blank=True)
    supersedes = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="superseded_by"
    )
    compensates = models.ForeignKey(
        "self", null=True, on_delete=models.PROTECT, related_name="compensated_by"
    )

    state = word(State)
    cause = word(Cause, blank=True, default="")
    grade = word(Grade, blank=True, default="")
    effect_id = models.TextField(blank=True, default="")
    is_reversed = models.BooleanField(default=False)
    version = models.PositiveBigIntegerField(default=1)
    generation = models.PositiveIntegerField(default=1)
    state_since = models.DateTimeField()
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    next_try_at = models.DateTimeField(null=True)
    claims_without_mark = models.PositiveIntegerField(default=0)
    could_not_ask_since = models.DateTimeField(null=True)

    # The machine slot: dispatch or reconcile. The ledger of all claims is the Claim table.
    claim_token = models.BigIntegerField(null=True)
    claim_holder = models.TextField(blank=True, default="")
    claim_purpose = word(Purpose, blank=True, default="")
    claim_taken_at = models.DateTimeField(null=True)
    claim_expires_at = models.DateTimeField(null=True)
    claim_given_back = models.BooleanField(default=False)

    # The review slot: a person.
    review_token = models.BigIntegerField(null=True)
    review_holder = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    review_taken_at = models.DateTimeField(null=True)
    review_expires_at = models.DateTimeField(null=True)

    class Meta:
        """Each constraint's name is its sentence; each index names the query it serves."""

        constraints = [
            models.UniqueConstraint(fields=["environment", "key"], name="one_operation_per_key"),
            models.UniqueConstraint(
                fields=["environment", "receiver", "effect_id"],
                condition=~Q(effect_id=""),
                name="one_operation_per_effect",
            ),
            knows_word("state", State),
            knows_word("cause", Cause, blank=True),
            knows_word("grade", Grade, blank=True),
            knows_word("executor", Executor),
            knows_word("claim_purpose", Purpose, blank=True),
            models.CheckConstraint(
                name="key_is_printable_ascii", condition=Q(key__regex=r"^[ -~]{1,200}$")
            ),
            models.CheckConstraint(
                name="only_confirmed_has_grade_and_effect",
                condition=Q(state=State.CONFIRMED) & ~Q(grade="") & ~Q(effect_id="")
                | ~Q(state=State.CONFIRMED) & Q(grade="") & Q(effect_id=""),
            ),
            models.CheckConstraint(
                name="only_cancelled_has_cause",
                condition=Q(state=State.CANCELLED) & ~Q(cause="")
                | ~Q(state=State.CANCELLED) & Q(cause=""),
            ),
            models.CheckConstraint(
                name="console_operations_store_their_request",
                condition=Q(executor=Executor.CONSOLE) & ~Q(request_digest="")
                | Q(executor=Executor.AGENT) & Q(request_digest=""),
            ),
            models.CheckConstraint(
                name="a_claim_has_token_holder_and_end",
                condition=Q(claim_token=None, claim_holder="", claim_expires_at=None)
                | Q(claim_token__isnull=False, claim_expires_at__isnull=False)
                & ~Q(claim_holder="")
                & ~Q(claim_purpose=""),
            ),
            models.CheckConstraint(
                name="an_operation_is_not_its_own_follow_up",
                condition=~Q(supersedes=F("id")) & ~Q(compensates=F("id")),
            ),
        ]
        indexes = [
            models.Index(fields=["-created_at", "-id"], name="operations_newest_first"),
            models.Index(fields=["state", "-created_at", "-id"], name="operations_by_state"),
            models.Index(fields=["agent", "created_at", "id"], name="operations_of_agent"),
            models.Index(
                fields=["next_try_at"],
                name="operations_due_dispatch",
                condition=Q(state=State.READY, executor=Executor.CONSOLE),
            ),
            models.Index(
                fields=["next_try_at"],
                name="operations_due_reconcile",
                condition=Q(state=State.SENT_UNKNOWN),
            ),
            models.Index(
                fields=["next_try_at"],
                name="operations_due_corroboration",
                condition=Q(state=State.CONFIRMED, next_try_at__isnull=False),
            ),
            models.Index(
                fields=["claim_expires_at"],
                name="operations_claims_to_expire",
                condition=Q(claim_token__isnull=False),
            ),
            models.Index(
                fields=["environment", "kind", "reference", "payload_digest"],
                name="operations_possible_duplicates",
                condition=~Q(reference=""),
            ),
        ]
        triggers = [
            keep_rows(),
            pgtrigger.ReadOnly(name="identity_never_changes", fields=list(IMMUTABLE)),
            *OPERATION_TRIGGERS,
        ]

    def __str__(self) -> str:
        return f"{self.environment}/{self.key}"
