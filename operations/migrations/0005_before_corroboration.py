"""Confirmations that only an agent reported are looked up: find those due. Before the deploy."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """One partial index; empty for everybody else's rows."""

    dependencies = [("operations", "0004_before_decisions")]

    operations = [
        migrations.AddIndex(
            model_name="operation",
            index=models.Index(
                condition=models.Q(("next_try_at__isnull", False), ("state", "confirmed")),
                fields=["next_try_at"],
                name="operations_due_corroboration",
            ),
        )
    ]
