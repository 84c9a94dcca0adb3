"""One counter for all claims, which only grows. Before the deploy."""

from django.db import migrations


class Migration(migrations.Migration):
    """A sequence never hands out a number twice, whatever is rolled back."""

    dependencies = [("operations", "0001_initial")]

    operations = [
        migrations.RunSQL(
            sql="CREATE SEQUENCE operations_fencing_token AS bigint START 1",
            reverse_sql="DROP SEQUENCE operations_fencing_token",
        )
    ]
