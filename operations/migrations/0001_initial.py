"""Every table of the record, with its constraints, indexes and triggers. Before the deploy."""

import uuid

import django.contrib.postgres.fields
import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models

import operations.protocol.states


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Agent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.TextField(unique=True)),
                ("is_active", models.BooleanField(default=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "responsible",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="agents",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="Halt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("environment", models.TextField(blank=True, default="")),
                ("receiver", models.TextField(blank=True, default="")),
                ("reason", models.TextField()),
                ("at", models.DateTimeField()),
                ("lifted_at", models.DateTimeField(null=True)),
                ("lift_reason", models.TextField(blank=True, default="")),
                (
                    "halted_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "lifted_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("lifted_at", None)),
                        fields=("environment", "receiver"),
                        name="one_halt_per_scope",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("prefix", models.TextField()),
                ("digest", models.CharField(max_length=64, unique=True)),
                (
                    "environments",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), blank=True, default=list
                    ),
                ),
                (
                    "kinds",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), blank=True, default=list
                    ),
                ),
                (
                    "receivers",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), blank=True, default=list
                    ),
                ),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField(null=True)),
                ("revoked_at", models.DateTimeField(null=True)),
                ("last_used_at", models.DateTimeField(null=True)),
                (
                    "agent",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tokens",
                        to="operations.agent",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("digest__regex", "^[0-9a-f]{64}$")),
                        name="token_digest_is_sha256",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Operation",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("environment", models.TextField()),
                ("key", models.TextField()),
                ("kind", models.TextField()),
                ("receiver", models.TextField()),
                (
                    "executor",
                    models.TextField(
                        choices=[("agent", "agent"), ("console", "console")],
                        default=operations.protocol.states.Executor["AGENT"],
                    ),
                ),
                ("reference", models.TextField(blank=True)),
                ("goal", models.TextField(blank=True)),
                ("context", models.TextField(blank=True)),
                ("payload_text", models.TextField()),
                ("payload_canonical", models.BinaryField()),
                ("payload_digest", models.CharField(max_length=64)),
                ("title", models.TextField(blank=True)),
                ("amount", models.DecimalField(decimal_places=12, max_digits=40, null=True)),
                ("currency", models.TextField(blank=True)),
                ("idempotency_key", models.TextField()),
                ("request_method", models.TextField(blank=True)),
                ("request_url", models.TextField(blank=True)),
                ("request_body", models.BinaryField(null=True)),
                ("request_digest", models.CharField(blank=True, max_length=64)),
                (
                    "state",
                    models.TextField(
                        choices=[
                            ("awaiting_approval", "awaiting_approval"),
                            ("ready", "ready"),
                            ("sent_unknown", "sent_unknown"),
                            ("confirmed", "confirmed"),
                            ("refused", "refused"),
                            ("not_executed", "not_executed"),
                            ("cancelled", "cancelled"),
                        ]
                    ),
                ),
                (
                    "cause",
                    models.TextField(
                        blank=True,
                        choices=[
                            ("withdrawn", "withdrawn"),
                            ("rejected", "rejected"),
                            ("expired", "expired"),
                        ],
                        default="",
                    ),
                ),
                (
                    "grade",
                    models.TextField(
                        blank=True,
                        choices=[
                            ("receipt", "receipt"),
                            ("receipt, reported", "receipt, reported"),
                            ("attested", "attested"),
                        ],
                        default="",
                    ),
                ),
                ("effect_id", models.TextField(blank=True, default="")),
                ("is_reversed", models.BooleanField(default=False)),
                ("version", models.PositiveBigIntegerField(default=1)),
                ("generation", models.PositiveIntegerField(default=1)),
                ("state_since", models.DateTimeField()),
                ("created_at", models.DateTimeField()),
                ("updated_at", models.DateTimeField()),
                ("next_try_at", models.DateTimeField(null=True)),
                ("claims_without_mark", models.PositiveIntegerField(default=0)),
                ("could_not_ask_since", models.DateTimeField(null=True)),
                ("claim_token", models.BigIntegerField(null=True)),
                ("claim_holder", models.TextField(blank=True, default="")),
                (
                    "claim_purpose",
                    models.TextField(
                        blank=True,
                        choices=[
                            ("dispatch", "dispatch"),
                            ("reconcile", "reconcile"),
                            ("review", "review"),
                        ],
                        default="",
                    ),
                ),
                ("claim_taken_at", models.DateTimeField(null=True)),
                ("claim_expires_at", models.DateTimeField(null=True)),
                ("claim_given_back", models.BooleanField(default=False)),
                ("review_token", models.BigIntegerField(null=True)),
                ("review_taken_at", models.DateTimeField(null=True)),
                ("review_expires_at", models.DateTimeField(null=True)),
                (
                    "agent",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="operations",
                        to="operations.agent",
                    ),
                ),
                (
                    "compensates",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="compensated_by",
                        to="operations.operation",
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "review_holder",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "supersedes",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="superseded_by",
                        to="operations.operation",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["-created_at", "-id"], name="operations_newest_first"),
                    models.Index(
                        fields=["state", "-created_at", "-id"], name="operations_by_state"
                    ),
                    models.Index(fields=["agent", "created_at", "id"], name="operations_of_agent"),
                    models.Index(
                        condition=models.Q(
                            ("executor", operations.protocol.states.Executor["CONSOLE"]),
                            ("state", operations.protocol.states.State["READY"]),
                        ),
                        fields=["next_try_at"],
                        name="operations_due_dispatch",
                    ),
                    models.Index(
                        condition=models.Q(
                            ("state", operations.protocol.states.State["SENT_UNKNOWN"])
                        ),
                        fields=["next_try_at"],
                        name="operations_due_reconcile",
                    ),
                    models.Index(
                        condition=models.Q(("claim_token__isnull", False)),
                        fields=["claim_expires_at"],
                        name="operations_claims_to_expire",
                    ),
                    models.Index(
                        condition=models.Q(("reference", ""), _negated=True),
                        fields=["environment", "kind", "reference", "payload_digest"],
                        name="operations_possible_duplicates",
                    ),
                    models.Index(
                        condition=models.Q(("next_try_at__isnull", False), ("state", "confirmed")),
                        fields=["next_try_at"],
                        name="operations_due_corroboration",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("environment", "key"), name="one_operation_per_key"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("effect_id", ""), _negated=True),
                        fields=("environment", "receiver", "effect_id"),
                        name="one_operation_per_effect",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "state__in",
                                [
                                    "awaiting_approval",
                                    "ready",
                                    "sent_unknown",
                                    "confirmed",
                                    "refused",
                                    "not_executed",
                                    "cancelled",
                                ],
                            )
                        ),
                        name="operation_state_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("cause__in", ["withdrawn", "rejected", "expired", ""])),
                        name="operation_cause_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("grade__in", ["receipt", "receipt, reported", "attested", ""])
                        ),
                        name="operation_grade_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("executor__in", ["agent", "console"])),
                        name="operation_executor_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("claim_purpose__in", ["dispatch", "reconcile", "review", ""])
                        ),
                        name="operation_claim_purpose_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("key__regex", "^[ -~]{1,200}$")),
                        name="key_is_printable_ascii",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("state", operations.protocol.states.State["CONFIRMED"]),
                                models.Q(("grade", ""), _negated=True),
                                models.Q(("effect_id", ""), _negated=True),
                            ),
                            models.Q(
                                models.Q(
                                    ("state", operations.protocol.states.State["CONFIRMED"]),
                                    _negated=True,
                                ),
                                ("grade", ""),
                                ("effect_id", ""),
                            ),
                            _connector="OR",
                        ),
                        name="only_confirmed_has_grade_and_effect",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("state", operations.protocol.states.State["CANCELLED"]),
                                models.Q(("cause", ""), _negated=True),
                            ),
                            models.Q(
                                models.Q(
                                    ("state", operations.protocol.states.State["CANCELLED"]),
                                    _negated=True,
                                ),
                                ("cause", ""),
                            ),
                            _connector="OR",
                        ),
                        name="only_cancelled_has_cause",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("executor", operations.protocol.states.Executor["CONSOLE"]),
                                models.Q(("request_digest", ""), _negated=True),
                            ),
                            models.Q(
                                ("executor", operations.protocol.states.Executor["AGENT"]),
                                ("request_digest", ""),
                            ),
                            _connector="OR",
                        ),
                        name="console_operations_store_their_request",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("claim_expires_at", None),
                                ("claim_holder", ""),
                                ("claim_token", None),
                            ),
                            models.Q(
                                ("claim_expires_at__isnull", False),
                                ("claim_token__isnull", False),
                                models.Q(("claim_holder", ""), _negated=True),
                                models.Q(("claim_purpose", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="a_claim_has_token_holder_and_end",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("supersedes", models.F("id")), _negated=True),
                            models.Q(("compensates", models.F("id")), _negated=True),
                        ),
                        name="an_operation_is_not_its_own_follow_up",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Approval",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "subject",
                    models.TextField(
                        choices=[
                            ("operation", "operation"),
                            ("possible_duplicate", "possible_duplicate"),
                            ("supersession", "supersession"),
                            ("proposal", "proposal"),
                        ]
                    ),
                ),
                (
                    "choice",
                    models.TextField(
                        blank=True,
                        choices=[
                            ("look_up", "look_up"),
                            ("attest", "attest"),
                            ("not_executed", "not_executed"),
                            ("release", "release"),
                            ("supersede", "supersede"),
                            ("compensate", "compensate"),
                            ("cancel", "cancel"),
                            ("take", "take"),
                            ("hand_back", "hand_back"),
                            ("note", "note"),
                            ("set_aside", "set_aside"),
                            ("close_attempt", "close_attempt"),
                            ("settle_review", "settle_review"),
                        ],
                        default="",
                    ),
                ),
                ("proposal", models.JSONField(default=dict)),
                ("round", models.PositiveIntegerField(default=1)),
                ("generation", models.PositiveIntegerField()),
                ("version_seen", models.PositiveBigIntegerField()),
                ("payload_digest", models.CharField(max_length=64)),
                ("request_digest", models.CharField(blank=True, max_length=64)),
                ("policy_name", models.TextField(blank=True)),
                ("policy", models.JSONField(default=dict)),
                ("sentence", models.TextField(blank=True)),
                ("role", models.TextField()),
                ("needed", models.PositiveIntegerField(default=1)),
                ("given", models.PositiveIntegerField(default=0)),
                (
                    "status",
                    models.TextField(
                        choices=[
                            ("open", "open"),
                            ("granted", "granted"),
                            ("rejected", "rejected"),
                            ("expired", "expired"),
                            ("voided", "voided"),
                            ("withdrawn", "withdrawn"),
                        ],
                        default=operations.protocol.states.ApprovalStatus["OPEN"],
                    ),
                ),
                ("asked_count", models.PositiveIntegerField(default=1)),
                (
                    "excluded_ids",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), default=list
                    ),
                ),
                ("opened_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("yes_lives_seconds", models.PositiveIntegerField()),
                ("valid_until", models.DateTimeField(null=True)),
                ("decided_at", models.DateTimeField(null=True)),
                (
                    "requested_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "operation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="approvals",
                        to="operations.operation",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(
                            ("status", operations.protocol.states.ApprovalStatus["OPEN"])
                        ),
                        fields=["expires_at"],
                        name="approvals_open_by_expiry",
                    ),
                    models.Index(fields=["operation", "-id"], name="approvals_of_operation"),
                    models.Index(fields=["-decided_at", "-id"], name="approvals_decided"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "subject__in",
                                ["operation", "possible_duplicate", "supersession", "proposal"],
                            )
                        ),
                        name="approval_subject_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "choice__in",
                                [
                                    "look_up",
                                    "attest",
                                    "not_executed",
                                    "release",
                                    "supersede",
                                    "compensate",
                                    "cancel",
                                    "take",
                                    "hand_back",
                                    "note",
                                    "set_aside",
                                    "close_attempt",
                                    "settle_review",
                                    "",
                                ],
                            )
                        ),
                        name="approval_choice_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "status__in",
                                ["open", "granted", "rejected", "expired", "voided", "withdrawn"],
                            )
                        ),
                        name="approval_status_is_known",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(
                            ("status", operations.protocol.states.ApprovalStatus["OPEN"]),
                            models.Q(
                                ("subject", operations.protocol.states.ApprovalSubject["PROPOSAL"]),
                                _negated=True,
                            ),
                        ),
                        fields=("operation",),
                        name="one_open_request_per_operation",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(
                            ("status", operations.protocol.states.ApprovalStatus["OPEN"]),
                            ("subject", operations.protocol.states.ApprovalSubject["PROPOSAL"]),
                        ),
                        fields=("operation",),
                        name="one_open_proposal_per_operation",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("status", operations.protocol.states.ApprovalStatus["GRANTED"]),
                                _negated=True,
                            ),
                            models.Q(
                                ("given__gte", models.F("needed")), ("valid_until__isnull", False)
                            ),
                            _connector="OR",
                        ),
                        name="granted_means_enough_yeses",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("subject", operations.protocol.states.ApprovalSubject["PROPOSAL"]),
                                models.Q(("choice", ""), _negated=True),
                            ),
                            models.Q(
                                models.Q(
                                    (
                                        "subject",
                                        operations.protocol.states.ApprovalSubject["PROPOSAL"],
                                    ),
                                    _negated=True,
                                ),
                                ("choice", ""),
                            ),
                            _connector="OR",
                        ),
                        name="a_proposal_names_its_choice",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("stream", models.TextField()),
                ("seq", models.PositiveBigIntegerField()),
                ("at", models.DateTimeField()),
                ("actor_kind", models.TextField()),
                ("actor_id", models.TextField()),
                ("event", models.TextField()),
                ("state_before", models.TextField(blank=True)),
                ("state_after", models.TextField(blank=True)),
                ("version", models.PositiveBigIntegerField(null=True)),
                ("generation", models.PositiveIntegerField(null=True)),
                ("token", models.BigIntegerField(null=True)),
                ("cause", models.TextField(blank=True)),
                ("detail", models.JSONField(default=dict)),
                ("request_id", models.TextField(blank=True)),
                ("body", models.BinaryField()),
                ("prev_hash", models.BinaryField()),
                ("hash", models.BinaryField()),
                (
                    "operation",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="audit_entries",
                        to="operations.operation",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["-at", "-id"], name="audit_newest_first"),
                    models.Index(fields=["actor_kind", "actor_id", "-id"], name="audit_of_actor"),
                    models.Index(
                        condition=models.Q(("operation__isnull", False)),
                        fields=["operation", "-id"],
                        name="audit_of_operation",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("stream", "seq"), name="audit_chain_has_no_fork"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Claim",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slot", models.TextField(choices=[("machine", "machine"), ("review", "review")])),
                (
                    "purpose",
                    models.TextField(
                        choices=[
                            ("dispatch", "dispatch"),
                            ("reconcile", "reconcile"),
                            ("review", "review"),
                        ]
                    ),
                ),
                ("token", models.BigIntegerField(unique=True)),
                ("holder", models.TextField()),
                ("version_seen", models.PositiveBigIntegerField()),
                ("lease_seconds", models.PositiveIntegerField()),
                ("taken_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "end",
                    models.TextField(
                        blank=True,
                        choices=[
                            ("finished", "finished"),
                            ("given_back", "given_back"),
                            ("expired", "expired"),
                            ("voided", "voided"),
                        ],
                        default="",
                    ),
                ),
                ("nonce", models.TextField(blank=True, default="")),
                (
                    "agent",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="operations.agent",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "operation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="claims",
                        to="operations.operation",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["operation", "-token"], name="claims_of_operation")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at", None)),
                        fields=("operation", "slot"),
                        name="one_live_claim_per_slot",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("slot__in", ["machine", "review"])),
                        name="claim_slot_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("purpose__in", ["dispatch", "reconcile", "review"])),
                        name="claim_purpose_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("end__in", ["finished", "given_back", "expired", "voided", ""])
                        ),
                        name="claim_end_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("purpose", operations.protocol.states.Purpose["REVIEW"]),
                                ("slot", operations.protocol.states.Slot["REVIEW"]),
                            ),
                            models.Q(
                                ("slot", operations.protocol.states.Slot["MACHINE"]),
                                models.Q(
                                    ("purpose", operations.protocol.states.Purpose["REVIEW"]),
                                    _negated=True,
                                ),
                            ),
                            _connector="OR",
                        ),
                        name="claim_purpose_fits_slot",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("end", ""), ("ended_at", None)),
                            models.Q(
                                ("ended_at__isnull", False), models.Q(("end", ""), _negated=True)
                            ),
                            _connector="OR",
                        ),
                        name="claim_end_has_a_time",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="DecisionToken",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("token", models.TextField(unique=True)),
                ("act", models.TextField()),
                ("at", models.DateTimeField()),
                (
                    "operation",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="operations.operation",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Note",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.TextField()),
                ("at", models.DateTimeField()),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "operation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="notes",
                        to="operations.operation",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["operation", "at"], name="notes_of_operation")],
            },
        ),
        migrations.CreateModel(
            name="Receipt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("environment", models.TextField()),
                ("receiver", models.TextField()),
                ("operation_key", models.TextField(blank=True)),
                (
                    "channel",
                    models.TextField(
                        choices=[
                            ("response", "response"),
                            ("lookup", "lookup"),
                            ("webhook", "webhook"),
                            ("statement", "statement"),
                            ("person", "person"),
                        ]
                    ),
                ),
                (
                    "status",
                    models.TextField(
                        choices=[
                            ("confirmed", "confirmed"),
                            ("pending", "pending"),
                            ("refused", "refused"),
                        ]
                    ),
                ),
                ("effect_id", models.TextField(blank=True)),
                ("payload_text", models.TextField(blank=True)),
                ("payload_digest", models.CharField(blank=True, max_length=64)),
                ("occurred_at", models.DateTimeField(null=True)),
                ("raw", models.BinaryField(default=bytes)),
                ("received_at", models.DateTimeField()),
                (
                    "verdict",
                    models.TextField(
                        choices=[
                            ("confirmed", "confirmed"),
                            ("already_confirmed", "already_confirmed"),
                            ("not_proof", "not_proof"),
                            ("mismatch", "mismatch"),
                            ("late", "late"),
                            ("kept", "kept"),
                        ]
                    ),
                ),
                ("differences", models.JSONField(default=list)),
                ("not_compared", models.JSONField(default=list)),
                ("token", models.BigIntegerField(null=True)),
                ("generation", models.PositiveIntegerField(null=True)),
                ("is_stale", models.BooleanField(default=False)),
                ("needs_explanation", models.BooleanField(default=False)),
                (
                    "entered_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "operation",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="receipts",
                        to="operations.operation",
                    ),
                ),
                (
                    "reported_by_agent",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="operations.agent",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["operation", "received_at"], name="receipts_of_operation"),
                    models.Index(
                        condition=models.Q(("operation", None)),
                        fields=["environment", "receiver", "operation_key"],
                        name="receipts_unmatched",
                    ),
                    models.Index(
                        condition=models.Q(("needs_explanation", True)),
                        fields=["operation"],
                        name="receipts_to_explain",
                    ),
                    models.Index(fields=["-received_at", "-id"], name="receipts_newest_first"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "channel__in",
                                ["response", "lookup", "webhook", "statement", "person"],
                            )
                        ),
                        name="receipt_channel_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("status__in", ["confirmed", "pending", "refused"])),
                        name="receipt_status_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "verdict__in",
                                [
                                    "confirmed",
                                    "already_confirmed",
                                    "not_proof",
                                    "mismatch",
                                    "late",
                                    "kept",
                                ],
                            )
                        ),
                        name="receipt_verdict_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("channel", operations.protocol.states.Channel["PERSON"]),
                                _negated=True,
                            ),
                            ("entered_by__isnull", False),
                            _connector="OR",
                        ),
                        name="a_receipt_of_a_person_names_them",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ApprovalDecision",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("is_yes", models.BooleanField()),
                ("reason", models.TextField(blank=True)),
                ("payload_digest_seen", models.CharField(max_length=64)),
                ("at", models.DateTimeField()),
                (
                    "approval",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="decisions",
                        to="operations.approval",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("approval", "person"), name="each_person_answers_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Attempt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("generation", models.PositiveIntegerField()),
                ("token", models.BigIntegerField()),
                ("marked_at", models.DateTimeField()),
                ("send_deadline_at", models.DateTimeField()),
                ("send_within_seconds", models.PositiveIntegerField()),
                ("payload_digest", models.CharField(max_length=64)),
                ("request_digest", models.CharField(blank=True, max_length=64)),
                ("idempotency_key", models.TextField()),
                ("sender", models.TextField()),
                ("nonce", models.TextField(blank=True, default="")),
                (
                    "approval",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="operations.approval",
                    ),
                ),
                (
                    "claim",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, to="operations.claim"
                    ),
                ),
                (
                    "operation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="attempts",
                        to="operations.operation",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("operation", "generation"), name="one_send_per_generation"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditWords",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("salt", models.BinaryField()),
                ("actor_name", models.TextField(blank=True)),
                ("reason", models.TextField(blank=True)),
                (
                    "entry",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="words",
                        to="operations.auditentry",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "audit words",
            },
        ),
        migrations.CreateModel(
            name="Lookup",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("generation", models.PositiveIntegerField()),
                ("asked_at", models.DateTimeField()),
                ("answered_at", models.DateTimeField()),
                (
                    "result",
                    models.TextField(
                        choices=[
                            ("found", "found"),
                            ("not_found", "not_found"),
                            ("could_not_ask", "could_not_ask"),
                        ]
                    ),
                ),
                ("detail", models.TextField(blank=True)),
                ("status", models.PositiveIntegerField(null=True)),
                ("raw", models.BinaryField(default=bytes)),
                ("token", models.BigIntegerField(null=True)),
                (
                    "operation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="lookups",
                        to="operations.operation",
                    ),
                ),
                (
                    "receipt",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="operations.receipt",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["operation", "-asked_at"], name="lookups_of_operation")
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("result__in", ["found", "not_found", "could_not_ask"])),
                        name="lookup_result_is_known",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Review",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "question",
                    models.TextField(
                        choices=[
                            ("unknown_outcome", "unknown_outcome"),
                            ("receipt_mismatch", "receipt_mismatch"),
                            ("late_receipt", "late_receipt"),
                            ("contradiction", "contradiction"),
                            ("duplicate_effect", "duplicate_effect"),
                            ("duplicate_answer", "duplicate_answer"),
                            ("stalled", "stalled"),
                        ]
                    ),
                ),
                ("reason", models.TextField()),
                ("opened_at", models.DateTimeField()),
                ("closed_at", models.DateTimeField(null=True)),
                (
                    "finding",
                    models.TextField(
                        blank=True,
                        choices=[
                            ("settled", "settled"),
                            ("not_ours", "not_ours"),
                            ("confirmed_attested", "confirmed_attested"),
                            ("corrected", "corrected"),
                            ("stands", "stands"),
                            ("reversed", "reversed"),
                            ("compensate", "compensate"),
                            ("released", "released"),
                            ("resumed", "resumed"),
                        ],
                        default="",
                    ),
                ),
                ("closing_reason", models.TextField(blank=True, default="")),
                (
                    "closed_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "operation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reviews",
                        to="operations.operation",
                    ),
                ),
                (
                    "receipt",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="operations.receipt",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("closed_at", None)),
                        fields=["opened_at", "id"],
                        name="reviews_open_oldest_first",
                    ),
                    models.Index(fields=["operation", "opened_at"], name="reviews_of_operation"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("closed_at", None)),
                        fields=("operation", "question"),
                        name="one_open_review_per_question",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "question__in",
                                [
                                    "unknown_outcome",
                                    "receipt_mismatch",
                                    "late_receipt",
                                    "contradiction",
                                    "duplicate_effect",
                                    "duplicate_answer",
                                    "stalled",
                                ],
                            )
                        ),
                        name="review_question_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "finding__in",
                                [
                                    "settled",
                                    "not_ours",
                                    "confirmed_attested",
                                    "corrected",
                                    "stands",
                                    "reversed",
                                    "compensate",
                                    "released",
                                    "resumed",
                                    "",
                                ],
                            )
                        ),
                        name="review_finding_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("closed_at", None), ("finding", "")),
                            models.Q(
                                ("closed_at__isnull", False),
                                models.Q(("finding", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="a_closed_review_has_a_finding",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="AttemptEnd",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "outcome",
                    models.TextField(
                        choices=[
                            ("receipt", "receipt"),
                            ("refused", "refused"),
                            ("unknown", "unknown"),
                            ("not_sent", "not_sent"),
                        ]
                    ),
                ),
                ("detail", models.TextField(blank=True)),
                ("status", models.PositiveIntegerField(null=True)),
                ("code", models.TextField(blank=True)),
                ("raw", models.BinaryField(default=bytes)),
                ("at", models.DateTimeField()),
                ("token", models.BigIntegerField()),
                ("is_stale", models.BooleanField(default=False)),
                (
                    "attempt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="ends",
                        to="operations.attempt",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("outcome__in", ["receipt", "refused", "unknown", "not_sent"])
                        ),
                        name="attemptend_outcome_is_known",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("is_stale", False)),
                        fields=("attempt",),
                        name="one_end_per_attempt",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SenderGone",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("reason", models.TextField()),
                ("at", models.DateTimeField()),
                (
                    "attempt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="gone_records",
                        to="operations.attempt",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("attempt", "person"), name="one_gone_record_a_person"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Explanation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "finding",
                    models.TextField(
                        choices=[
                            ("settled", "settled"),
                            ("not_ours", "not_ours"),
                            ("confirmed_attested", "confirmed_attested"),
                            ("corrected", "corrected"),
                            ("stands", "stands"),
                            ("reversed", "reversed"),
                            ("compensate", "compensate"),
                            ("released", "released"),
                            ("resumed", "resumed"),
                        ]
                    ),
                ),
                ("reason", models.TextField()),
                ("at", models.DateTimeField()),
                ("actor_kind", models.TextField()),
                (
                    "attempt_end",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="explanation",
                        to="operations.attemptend",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "receipt",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="explanation",
                        to="operations.receipt",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "finding__in",
                                [
                                    "settled",
                                    "not_ours",
                                    "confirmed_attested",
                                    "corrected",
                                    "stands",
                                    "reversed",
                                    "compensate",
                                    "released",
                                    "resumed",
                                ],
                            )
                        ),
                        name="explanation_finding_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("attempt_end__isnull", False), ("receipt", None)),
                            models.Q(("attempt_end", None), ("receipt__isnull", False)),
                            _connector="OR",
                        ),
                        name="an_explanation_is_about_one_thing",
                    ),
                ],
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="halt",
            trigger=pgtrigger.compiler.Trigger(
                name="keep_rows",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot delete rows from % table', TG_TABLE_NAME;",
                    hash="2d25796200913c63b227b9dc7096298f621507c0",
                    operation="DELETE",
                    pgid="pgtrigger_keep_rows_0a52a",
                    table="operations_halt",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="operation",
            trigger=pgtrigger.compiler.Trigger(
                name="keep_rows",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot delete rows from % table', TG_TABLE_NAME;",
                    hash="2b896dc5dae76aa86e684b13ff76c4e9ceef16d3",
                    operation="DELETE",
                    pgid="pgtrigger_keep_rows_b4eb1",
                    table="operations_operation",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="operation",
            trigger=pgtrigger.compiler.Trigger(
                name="identity_never_changes",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."id" IS DISTINCT FROM (NEW."id") OR OLD."environment" IS DISTINCT FROM (NEW."environment") OR OLD."key" IS DISTINCT FROM (NEW."key") OR OLD."kind" IS DISTINCT FROM (NEW."kind") OR OLD."receiver" IS DISTINCT FROM (NEW."receiver") OR OLD."executor" IS DISTINCT FROM (NEW."executor") OR OLD."reference" IS DISTINCT FROM (NEW."reference") OR OLD."goal" IS DISTINCT FROM (NEW."goal") OR OLD."context" IS DISTINCT FROM (NEW."context") OR OLD."agent_id" IS DISTINCT FROM (NEW."agent_id") OR OLD."requested_by_id" IS DISTINCT FROM (NEW."requested_by_id") OR OLD."payload_text" IS DISTINCT FROM (NEW."payload_text") OR OLD."payload_canonical" IS DISTINCT FROM (NEW."payload_canonical") OR OLD."payload_digest" IS DISTINCT FROM (NEW."payload_digest") OR OLD."title" IS DISTINCT FROM (NEW."title") OR OLD."amount" IS DISTINCT FROM (NEW."amount") OR OLD."currency" IS DISTINCT FROM (NEW."currency") OR OLD."idempotency_key" IS DISTINCT FROM (NEW."idempotency_key") OR OLD."request_method" IS DISTINCT FROM (NEW."request_method") OR OLD."request_url" IS DISTINCT FROM (NEW."request_url") OR OLD."request_body" IS DISTINCT FROM (NEW."request_body") OR OLD."request_digest" IS DISTINCT FROM (NEW."request_digest") OR OLD."supersedes_id" IS DISTINCT FROM (NEW."supersedes_id") OR OLD."compensates_id" IS DISTINCT FROM (NEW."compensates_id") OR OLD."created_at" IS DISTINCT FROM (NEW."created_at"))',
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="90b9b16c0e3f56030f0752e02e2d40ac3fdd43b1",
                    operation="UPDATE",
                    pgid="pgtrigger_identity_never_changes_ac8da",
                    table="operations_operation",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="operation",
            trigger=pgtrigger.compiler.Trigger(
                name="state_follows_the_table",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (OLD.state IS DISTINCT FROM NEW.state)",
                    func="\n            IF (OLD.state, NEW.state) NOT IN (('awaiting_approval', 'cancelled'), ('awaiting_approval', 'confirmed'), ('awaiting_approval', 'ready'), ('awaiting_approval', 'sent_unknown'), ('cancelled', 'confirmed'), ('not_executed', 'confirmed'), ('ready', 'awaiting_approval'), ('ready', 'cancelled'), ('ready', 'confirmed'), ('ready', 'sent_unknown'), ('refused', 'confirmed'), ('sent_unknown', 'confirmed'), ('sent_unknown', 'not_executed'), ('sent_unknown', 'ready'), ('sent_unknown', 'refused')) THEN\n                RAISE EXCEPTION 'state may not go from % to %', OLD.state, NEW.state\n                    USING ERRCODE = 'check_violation';\n            END IF;\n            IF NEW.state = 'cancelled' AND EXISTS (\n                SELECT 1 FROM operations_attempt WHERE operation_id = NEW.id\n            ) THEN\n                RAISE EXCEPTION 'an operation with an attempt cannot be cancelled'\n                    USING ERRCODE = 'check_violation';\n            END IF;\n            RETURN NEW;\n        ",
                    hash="b54200b4dc46bbf255f37fceb9a0fa85dc05d18f",
                    operation="UPDATE",
                    pgid="pgtrigger_state_follows_the_table_84efd",
                    table="operations_operation",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="operation",
            trigger=pgtrigger.compiler.Trigger(
                name="sent_unknown_has_an_attempt",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (OLD.state IS DISTINCT FROM NEW.state AND NEW.state = 'sent_unknown')",
                    constraint="CONSTRAINT",
                    func="\n            IF NOT EXISTS (SELECT 1 FROM operations_attempt WHERE operation_id = NEW.id) THEN\n                RAISE EXCEPTION 'sent_unknown needs an attempt on record'\n                    USING ERRCODE = 'check_violation';\n            END IF;\n            RETURN NULL;\n        ",
                    hash="94c41570a9a2c0871181add92092c338aa73675e",
                    operation="UPDATE",
                    pgid="pgtrigger_sent_unknown_has_an_attempt_f91b1",
                    table="operations_operation",
                    timing="DEFERRABLE INITIALLY DEFERRED",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="operation",
            trigger=pgtrigger.compiler.Trigger(
                name="operations_begin_unsent",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n            IF NEW.state NOT IN ('ready', 'awaiting_approval') OR NEW.generation <> 1 THEN\n                RAISE EXCEPTION 'an operation begins ready or awaiting approval, generation 1'\n                    USING ERRCODE = 'check_violation';\n            END IF;\n            IF NEW.payload_digest <> encode(sha256(NEW.payload_canonical), 'hex') THEN\n                RAISE EXCEPTION 'payload_digest is not the digest of the payload'\n                    USING ERRCODE = 'check_violation';\n            END IF;\n            IF NEW.request_body IS NOT NULL\n                AND NEW.request_digest <> encode(sha256(\n                    convert_to(NEW.request_method || ' ' || NEW.request_url || E'\\n', 'UTF8')\n                    || NEW.request_body), 'hex') THEN\n                RAISE EXCEPTION 'request_digest is not the digest of the request'\n                    USING ERRCODE = 'check_violation';\n            END IF;\n            RETURN NEW;\n        ",
                    hash="e4df4c7184d4ccdbcf60d9ce7f75336d9a50a2a5",
                    operation="INSERT",
                    pgid="pgtrigger_operations_begin_unsent_cc849",
                    table="operations_operation",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="operation",
            trigger=pgtrigger.compiler.Trigger(
                name="a_new_version_voids_proposals",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (OLD.version IS DISTINCT FROM NEW.version)",
                    func="\n            UPDATE operations_approval\n                SET status = 'voided', decided_at = NEW.updated_at\n                WHERE operation_id = NEW.id AND subject = 'proposal' AND status = 'open'\n                    AND version_seen <> NEW.version;\n            RETURN NULL;\n        ",
                    hash="5e6b33095790f63ef7b536603497d9a9b25248dd",
                    operation="UPDATE",
                    pgid="pgtrigger_a_new_version_voids_proposals_fce34",
                    table="operations_operation",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="operation",
            trigger=pgtrigger.compiler.Trigger(
                name="counters_only_grow",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n            IF NEW.version < OLD.version\n                OR (OLD.state IS DISTINCT FROM NEW.state AND NEW.version = OLD.version) THEN\n                RAISE EXCEPTION 'version must grow with every change of state'\n                    USING ERRCODE = 'check_violation';\n            END IF;\n            IF NEW.generation <> OLD.generation AND NOT (\n                NEW.generation = OLD.generation + 1\n                AND OLD.state = 'sent_unknown' AND NEW.state = 'ready'\n            ) THEN\n                RAISE EXCEPTION 'only a release opens the next generation'\n                    USING ERRCODE = 'check_violation';\n            END IF;\n            IF OLD.state = 'sent_unknown' AND NEW.state = 'ready'\n                AND NEW.generation = OLD.generation THEN\n                RAISE EXCEPTION 'nothing goes from sent_unknown to ready but by a release'\n                    USING ERRCODE = 'check_violation';\n            END IF;\n            IF OLD.effect_id <> '' AND NEW.effect_id <> OLD.effect_id THEN\n                RAISE EXCEPTION 'the effect that confirmed an operation stays'\n                    USING ERRCODE = 'check_violation';\n            END IF;\n            IF NEW.claim_token < OLD.claim_token OR NEW.review_token < OLD.review_token THEN\n                RAISE EXCEPTION 'fencing tokens only grow' USING ERRCODE = 'check_violation';\n            END IF;\n            RETURN NEW;\n        ",
                    hash="1eee69bb6a35fcb6aced28f031b18c74db7c7596",
                    operation="UPDATE",
                    pgid="pgtrigger_counters_only_grow_36f7a",
                    table="operations_operation",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="approval",
            trigger=pgtrigger.compiler.Trigger(
                name="keep_rows",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot delete rows from % table', TG_TABLE_NAME;",
                    hash="9bc5cda29d9aa3ce5321f5165c74601c466a5e63",
                    operation="DELETE",
                    pgid="pgtrigger_keep_rows_3dcd6",
                    table="operations_approval",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="approval",
            trigger=pgtrigger.compiler.Trigger(
                name="a_decided_approval_stays",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (NOT (OLD.\"status\" IN ('open', 'granted')))",
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="1cf045505f572d821d7ee915c386688e241f34e1",
                    operation="UPDATE",
                    pgid="pgtrigger_a_decided_approval_stays_66d94",
                    table="operations_approval",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="approval",
            trigger=pgtrigger.compiler.Trigger(
                name="what_is_approved_never_changes",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."operation_id" IS DISTINCT FROM (NEW."operation_id") OR OLD."subject" IS DISTINCT FROM (NEW."subject") OR OLD."choice" IS DISTINCT FROM (NEW."choice") OR OLD."proposal" IS DISTINCT FROM (NEW."proposal") OR OLD."round" IS DISTINCT FROM (NEW."round") OR OLD."generation" IS DISTINCT FROM (NEW."generation") OR OLD."version_seen" IS DISTINCT FROM (NEW."version_seen") OR OLD."payload_digest" IS DISTINCT FROM (NEW."payload_digest") OR OLD."request_digest" IS DISTINCT FROM (NEW."request_digest") OR OLD."policy_name" IS DISTINCT FROM (NEW."policy_name") OR OLD."policy" IS DISTINCT FROM (NEW."policy") OR OLD."sentence" IS DISTINCT FROM (NEW."sentence") OR OLD."role" IS DISTINCT FROM (NEW."role") OR OLD."needed" IS DISTINCT FROM (NEW."needed") OR OLD."excluded_ids" IS DISTINCT FROM (NEW."excluded_ids") OR OLD."requested_by_id" IS DISTINCT FROM (NEW."requested_by_id") OR OLD."opened_at" IS DISTINCT FROM (NEW."opened_at") OR OLD."expires_at" IS DISTINCT FROM (NEW."expires_at") OR OLD."yes_lives_seconds" IS DISTINCT FROM (NEW."yes_lives_seconds"))',
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="27613cad2aec0876808de7fbcbb1d86d904dfbc8",
                    operation="UPDATE",
                    pgid="pgtrigger_what_is_approved_never_changes_65511",
                    table="operations_approval",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="approval",
            trigger=pgtrigger.compiler.Trigger(
                name="a_grant_rests_on_answers",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n                    IF TG_OP = 'INSERT' THEN\n                        IF NEW.status <> 'open' OR NEW.given <> 0\n                            OR NEW.valid_until IS NOT NULL THEN\n                            RAISE EXCEPTION 'a request begins open and without an answer'\n                                USING ERRCODE = 'check_violation';\n                        END IF;\n                        RETURN NEW;\n                    END IF;\n                    IF NEW.given <> OLD.given AND NEW.given <> (\n                        SELECT count(*) FROM operations_approvaldecision d\n                        WHERE d.approval_id = NEW.id AND d.is_yes\n                    ) THEN\n                        RAISE EXCEPTION 'given counts the answers on record'\n                            USING ERRCODE = 'check_violation';\n                    END IF;\n                    IF NEW.valid_until IS DISTINCT FROM OLD.valid_until AND (\n                        OLD.valid_until IS NOT NULL OR NEW.status <> 'granted'\n                        OR NEW.valid_until\n                            > NEW.decided_at + make_interval(secs => NEW.yes_lives_seconds)\n                    ) THEN\n                        RAISE EXCEPTION 'a yes lives as long as its request says'\n                            USING ERRCODE = 'check_violation';\n                    END IF;\n                    RETURN NEW;\n                ",
                    hash="b97f0d53b1fefc6b3be4a4aca8c0dd59f1c416e5",
                    operation="INSERT OR UPDATE",
                    pgid="pgtrigger_a_grant_rests_on_answers_b1859",
                    table="operations_approval",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="auditentry",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="74f82c65cd7af87c636888e920f378491acdb6d9",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_4488a",
                    table="operations_auditentry",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="auditentry",
            trigger=pgtrigger.compiler.Trigger(
                name="audit_chain_is_written_by_the_database",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    declare="DECLARE last RECORD;",
                    func="\n                    -- An operation's stream is serialised by its row lock; the others need one.\n                    IF NEW.operation_id IS NULL THEN\n                        PERFORM pg_advisory_xact_lock(hashtextextended(NEW.stream, 16));\n                    END IF;\n                    SELECT a.seq, a.hash INTO last FROM operations_auditentry a\n                        WHERE a.stream = NEW.stream ORDER BY a.seq DESC LIMIT 1;\n                    NEW.seq := COALESCE(last.seq, 0) + 1;\n                    NEW.prev_hash := COALESCE(last.hash, decode(repeat('00', 32), 'hex'));\n                    NEW.hash := sha256(NEW.prev_hash || int8send(NEW.seq) || NEW.body);\n                    RETURN NEW;\n                ",
                    hash="556e37521dd831189b07056a254c59aca32d63d3",
                    operation="INSERT",
                    pgid="pgtrigger_audit_chain_is_written_by_the_database_303b5",
                    table="operations_auditentry",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="claim",
            trigger=pgtrigger.compiler.Trigger(
                name="keep_rows",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot delete rows from % table', TG_TABLE_NAME;",
                    hash="7ced6b89ecaf8d035e5f6582f53911835e5a8b0b",
                    operation="DELETE",
                    pgid="pgtrigger_keep_rows_f7128",
                    table="operations_claim",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="claim",
            trigger=pgtrigger.compiler.Trigger(
                name="claim_identity_never_changes",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."operation_id" IS DISTINCT FROM (NEW."operation_id") OR OLD."slot" IS DISTINCT FROM (NEW."slot") OR OLD."purpose" IS DISTINCT FROM (NEW."purpose") OR OLD."token" IS DISTINCT FROM (NEW."token") OR OLD."holder" IS DISTINCT FROM (NEW."holder") OR OLD."version_seen" IS DISTINCT FROM (NEW."version_seen") OR OLD."nonce" IS DISTINCT FROM (NEW."nonce"))',
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="532b9a5d9900688b55de023b5e3376971befecb4",
                    operation="UPDATE",
                    pgid="pgtrigger_claim_identity_never_changes_3df31",
                    table="operations_claim",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="claim",
            trigger=pgtrigger.compiler.Trigger(
                name="an_ended_claim_stays_ended",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."ended_at" IS NOT NULL)',
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="0c029948bc6c8e34d912939c3138ad0564f0143a",
                    operation="UPDATE",
                    pgid="pgtrigger_an_ended_claim_stays_ended_5ac5d",
                    table="operations_claim",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="decisiontoken",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="e4adc3a19f6ffcaaa6aabced246ef83cf9257e67",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_d5dde",
                    table="operations_decisiontoken",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="note",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="8fb533f02963f8d9b35be0b507e172d70a54a632",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_e39d1",
                    table="operations_note",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="receipt",
            trigger=pgtrigger.compiler.Trigger(
                name="keep_rows",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot delete rows from % table', TG_TABLE_NAME;",
                    hash="1741a65ffda5786096bc88b51d725ec65d305fcb",
                    operation="DELETE",
                    pgid="pgtrigger_keep_rows_2bc90",
                    table="operations_receipt",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="receipt",
            trigger=pgtrigger.compiler.Trigger(
                name="a_matched_receipt_never_changes",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."operation_id" IS NOT NULL)',
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="78fb1aa02ba9f205e85470bc71011c8eaff78f2b",
                    operation="UPDATE",
                    pgid="pgtrigger_a_matched_receipt_never_changes_e67ad",
                    table="operations_receipt",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="receipt",
            trigger=pgtrigger.compiler.Trigger(
                name="receipts_are_evidence",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."id" IS DISTINCT FROM (NEW."id") OR OLD."environment" IS DISTINCT FROM (NEW."environment") OR OLD."receiver" IS DISTINCT FROM (NEW."receiver") OR OLD."operation_key" IS DISTINCT FROM (NEW."operation_key") OR OLD."channel" IS DISTINCT FROM (NEW."channel") OR OLD."status" IS DISTINCT FROM (NEW."status") OR OLD."effect_id" IS DISTINCT FROM (NEW."effect_id") OR OLD."payload_text" IS DISTINCT FROM (NEW."payload_text") OR OLD."payload_digest" IS DISTINCT FROM (NEW."payload_digest") OR OLD."occurred_at" IS DISTINCT FROM (NEW."occurred_at") OR OLD."raw" IS DISTINCT FROM (NEW."raw") OR OLD."received_at" IS DISTINCT FROM (NEW."received_at") OR OLD."verdict" IS DISTINCT FROM (NEW."verdict") OR OLD."differences" IS DISTINCT FROM (NEW."differences") OR OLD."not_compared" IS DISTINCT FROM (NEW."not_compared") OR OLD."token" IS DISTINCT FROM (NEW."token") OR OLD."generation" IS DISTINCT FROM (NEW."generation") OR OLD."is_stale" IS DISTINCT FROM (NEW."is_stale") OR OLD."needs_explanation" IS DISTINCT FROM (NEW."needs_explanation") OR OLD."reported_by_agent_id" IS DISTINCT FROM (NEW."reported_by_agent_id") OR OLD."entered_by_id" IS DISTINCT FROM (NEW."entered_by_id"))',
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="2b4fb373aae6ec0c4907ce6bec3457f18e032dd0",
                    operation="UPDATE",
                    pgid="pgtrigger_receipts_are_evidence_8ed6c",
                    table="operations_receipt",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="approvaldecision",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="10d2a985fb03c55843cfc69b1e29617ce51f3d81",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_f602f",
                    table="operations_approvaldecision",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="approvaldecision",
            trigger=pgtrigger.compiler.Trigger(
                name="nobody_decides_their_own_request",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n                    IF EXISTS (\n                        SELECT 1 FROM operations_approval a WHERE a.id = NEW.approval_id\n                        AND (NEW.person_id = ANY(a.excluded_ids)\n                             OR NEW.person_id = a.requested_by_id\n                             OR NEW.payload_digest_seen <> a.payload_digest\n                             OR a.status <> 'open'\n                             OR NEW.at NOT BETWEEN a.opened_at AND clock_timestamp()\n                             OR NEW.at >= a.expires_at)\n                    ) THEN\n                        RAISE EXCEPTION 'this person may not decide this request now'\n                            USING ERRCODE = 'check_violation';\n                    END IF;\n                    RETURN NEW;\n                ",
                    hash="03cd5a0b7128655b8dcf2458be6b2d9ee25ce5e1",
                    operation="INSERT",
                    pgid="pgtrigger_nobody_decides_their_own_request_4c7f5",
                    table="operations_approvaldecision",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="attempt",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="20a3310d7949128e064bf4719a8f97386dea6e50",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_dffee",
                    table="operations_attempt",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="attempt",
            trigger=pgtrigger.compiler.Trigger(
                name="an_attempt_is_marked_first",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n                    IF NOT EXISTS (\n                        SELECT 1 FROM operations_operation o WHERE o.id = NEW.operation_id\n                        AND o.state = 'sent_unknown' AND o.generation = NEW.generation\n                        AND o.claim_token = NEW.token\n                    ) THEN\n                        RAISE EXCEPTION 'an attempt needs its operation marked under its token'\n                            USING ERRCODE = 'check_violation';\n                    END IF;\n                    RETURN NEW;\n                ",
                    hash="c2c193a787ac59150a0dadc28b56ae124021f1ab",
                    operation="INSERT",
                    pgid="pgtrigger_an_attempt_is_marked_first_756ec",
                    table="operations_attempt",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="lookup",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="7a2fbe7490af6181dd1df58debc3ac27326af694",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_3bdd7",
                    table="operations_lookup",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="review",
            trigger=pgtrigger.compiler.Trigger(
                name="keep_rows",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot delete rows from % table', TG_TABLE_NAME;",
                    hash="7bb81bc8bb7a26e911f81dd980c4f31d097ac49f",
                    operation="DELETE",
                    pgid="pgtrigger_keep_rows_3a93f",
                    table="operations_review",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="review",
            trigger=pgtrigger.compiler.Trigger(
                name="a_closed_review_stays_closed",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."closed_at" IS NOT NULL)',
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="6287c21f2db4d1335b36056f1854149f7f230866",
                    operation="UPDATE",
                    pgid="pgtrigger_a_closed_review_stays_closed_e653c",
                    table="operations_review",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="review",
            trigger=pgtrigger.compiler.Trigger(
                name="the_question_never_changes",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."operation_id" IS DISTINCT FROM (NEW."operation_id") OR OLD."question" IS DISTINCT FROM (NEW."question") OR OLD."reason" IS DISTINCT FROM (NEW."reason") OR OLD."receipt_id" IS DISTINCT FROM (NEW."receipt_id") OR OLD."opened_at" IS DISTINCT FROM (NEW."opened_at"))',
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="85943778341b3697b766b5bd03aa427e61585c42",
                    operation="UPDATE",
                    pgid="pgtrigger_the_question_never_changes_9e931",
                    table="operations_review",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="attemptend",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="bcde9c978b81466b10202f95c8b0408eb1d20c14",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_3bb35",
                    table="operations_attemptend",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="sendergone",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="9b740ae9c1faaac809dad70f30954b4e36189be1",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_f6a60",
                    table="operations_sendergone",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="explanation",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="63dd6e740534da0040c7f007cd24489c9be0e354",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_12039",
                    table="operations_explanation",
                    when="BEFORE",
                ),
            ),
        ),
    ]
