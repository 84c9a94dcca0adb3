"""Tokens of decisions; proposals that a new version voids by itself. Before the deploy."""

import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("operations", "0003_before_roles"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
            ],
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="approvaldecision",
            name="nobody_decides_their_own_request",
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
        migrations.AddField(
            model_name="decisiontoken",
            name="operation",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="operations.operation",
            ),
        ),
        migrations.AddField(
            model_name="decisiontoken",
            name="person",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
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
    ]
