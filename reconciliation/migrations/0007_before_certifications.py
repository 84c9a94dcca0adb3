"""What probes of receivers found. Before the deploy."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("reconciliation", "0005_before_lookup_gates"),
    ]

    operations = [
        migrations.CreateModel(
            name="Certification",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("environment", models.TextField()),
                ("receiver", models.TextField()),
                ("at", models.DateTimeField()),
                ("started_by", models.TextField()),
                ("seed", models.TextField()),
                ("claims", models.JSONField()),
                ("rows", models.JSONField()),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["environment", "receiver", "-at"], name="latest_certification"
                    )
                ],
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="certification",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="21eaad7692ef4fb8879720aa6d8e8d04164bcec9",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_b5e9a",
                    table="reconciliation_certification",
                    when="BEFORE",
                ),
            ),
        ),
    ]
