"""Lookups that were answered, by their time: whether a receiver's queue moves. Before the deploy."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("operations", "0003_before_roles")]

    operations = [
        migrations.AddIndex(
            model_name="lookup",
            index=models.Index(
                fields=["asked_at"],
                name="lookups_answered",
                condition=models.Q(("result", "could_not_ask"), _negated=True),
            ),
        ),
    ]
