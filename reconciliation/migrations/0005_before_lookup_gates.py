"""Gates that lookups pass, and what they held back. Before the deploy."""

import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("operations", "0003_before_roles"),
        ("reconciliation", "0004_before_drill_results_in_turn"),
    ]

    operations = [
        migrations.CreateModel(
            name="LookupGate",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("environment", models.TextField()),
                ("receiver", models.TextField()),
                ("failures_in_row", models.PositiveIntegerField(default=0)),
                ("last_error", models.TextField(blank=True, default="")),
                ("last_error_at", models.DateTimeField(null=True)),
                ("opened_at", models.DateTimeField(null=True)),
                ("open_until", models.DateTimeField(null=True)),
                ("probe_token", models.BigIntegerField(null=True)),
                ("probe_ends_at", models.DateTimeField(null=True)),
                ("held_until", models.DateTimeField(null=True)),
                ("next_ask_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="HeldLookup",
            fields=[
                (
                    "operation",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="operations.operation",
                    ),
                ),
                (
                    "reason",
                    models.TextField(
                        choices=[
                            ("circuit", "circuit"),
                            ("retry_after", "retry_after"),
                            ("budget", "budget"),
                            ("busy", "busy"),
                        ]
                    ),
                ),
                ("until", models.DateTimeField()),
                ("times", models.PositiveIntegerField()),
            ],
            options={
                "indexes": [models.Index(fields=["until"], name="held_lookups_by_end")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("reason__in", ["circuit", "retry_after", "budget", "busy"])
                        ),
                        name="heldlookup_reason_is_known",
                    )
                ],
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="heldlookup",
            trigger=pgtrigger.compiler.Trigger(
                name="keep_rows",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot delete rows from % table', TG_TABLE_NAME;",
                    hash="12f8206577ecc6ce93145e5bc61ac9cafbfd4884",
                    operation="DELETE",
                    pgid="pgtrigger_keep_rows_3fb94",
                    table="reconciliation_heldlookup",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="lookupgate",
            constraint=models.UniqueConstraint(
                fields=("environment", "receiver"), name="one_gate_per_receiver"
            ),
        ),
        migrations.AddConstraint(
            model_name="lookupgate",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("open_until", None), ("opened_at", None), ("probe_token", None)),
                    models.Q(("open_until__isnull", False), ("opened_at__isnull", False)),
                    _connector="OR",
                ),
                name="an_open_circuit_has_an_end",
            ),
        ),
        migrations.AddConstraint(
            model_name="lookupgate",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("probe_ends_at", None), ("probe_token", None)),
                    models.Q(("probe_ends_at__isnull", False), ("probe_token__isnull", False)),
                    _connector="OR",
                ),
                name="a_probe_has_an_end",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="lookupgate",
            trigger=pgtrigger.compiler.Trigger(
                name="keep_rows",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot delete rows from % table', TG_TABLE_NAME;",
                    hash="4ea86a78f7945eac25ae488712ddf353d08a07b7",
                    operation="DELETE",
                    pgid="pgtrigger_keep_rows_b8b05",
                    table="reconciliation_lookupgate",
                    when="BEFORE",
                ),
            ),
        ),
    ]
