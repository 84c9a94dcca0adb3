"""Tables for what drills found, append-only. Before the deploy."""

import django.contrib.postgres.fields
import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("operations", "0003_before_roles"),
        ("reconciliation", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="DrillRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("started_at", models.DateTimeField()),
                ("started_by", models.TextField()),
                ("release", models.TextField()),
                ("seed", models.PositiveBigIntegerField()),
                (
                    "planned",
                    django.contrib.postgres.fields.ArrayField(base_field=models.TextField()),
                ),
                ("within_seconds", models.PositiveIntegerField()),
            ],
            options={
                "indexes": [
                    models.Index(fields=["-started_at", "-id"], name="drills_newest_first")
                ],
            },
        ),
        migrations.CreateModel(
            name="DrillResult",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.TextField()),
                ("began_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField()),
                ("kills", models.PositiveIntegerField()),
                ("requests", models.PositiveIntegerField(null=True)),
                ("effects", models.PositiveIntegerField(null=True)),
                ("outcome", models.TextField()),
                ("verdict", models.TextField(choices=[("passed", "passed"), ("failed", "failed")])),
                ("fault", models.TextField(blank=True, default="")),
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
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="results",
                        to="reconciliation.drillrun",
                    ),
                ),
            ],
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="drillrun",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="afa8cb720c8d163d62793849c98a3e40abd57b59",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_cbcc0",
                    table="reconciliation_drillrun",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="drillresult",
            constraint=models.UniqueConstraint(fields=("run", "name"), name="one_result_per_drill"),
        ),
        migrations.AddConstraint(
            model_name="drillresult",
            constraint=models.CheckConstraint(
                condition=models.Q(("verdict__in", ["passed", "failed"])),
                name="drillresult_verdict_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="drillresult",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("verdict", "failed"), models.Q(("fault", ""), _negated=True)),
                    models.Q(("verdict", "passed"), ("fault", "")),
                    _connector="OR",
                ),
                name="a_drill_that_failed_says_why",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="drillresult",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="de3dfb6fd8b4bc454e1ecb00da31647f6bf68c2a",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_6c31e",
                    table="reconciliation_drillresult",
                    when="BEFORE",
                ),
            ),
        ),
    ]
