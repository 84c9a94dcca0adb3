"""The five roles, as groups. Before the deploy."""

from django.db import migrations

ROLES = ("viewer", "operator", "approver", "auditor", "admin")


def add_roles(apps, schema_editor):
    """Create what is missing; a group that is there keeps its people."""
    group = apps.get_model("auth", "Group")
    for name in ROLES:
        group.objects.get_or_create(name=name)


def keep_roles(apps, schema_editor):
    """Going back leaves the groups: people are in them, and older code ignores them."""


class Migration(migrations.Migration):
    """Groups named after the roles of operations/roles.py."""

    dependencies = [
        ("operations", "0002_before_fencing_tokens"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [migrations.RunPython(add_roles, keep_roles)]
