"""What has no room at its receiver stays due, and is written down nowhere. After the deploy."""

import pgtrigger.migrations
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("reconciliation", "0008_before_statements")]

    operations = [
        pgtrigger.migrations.RemoveTrigger(model_name="heldlookup", name="keep_rows"),
        migrations.DeleteModel(name="HeldLookup"),
    ]
