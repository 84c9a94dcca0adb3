"""A row for the end of a drill. Before the deploy."""

import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("reconciliation", "0002_before_drills"),
    ]

    operations = [
        migrations.CreateModel(
            name="DrillEnd",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
                (
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="end",
                        to="reconciliation.drillrun",
                    ),
                ),
            ],
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="drillend",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="68f453e14f4d10c5e05241ece8ca33b9d58132bb",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_142cb",
                    table="reconciliation_drillend",
                    when="BEFORE",
                ),
            ),
        ),
    ]
