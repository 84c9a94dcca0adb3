"""`migrate`, run as the owner; the run-time role gets its grants at the end."""

from typing import Any

from django.conf import settings
from django.core.management.commands.migrate import Command as MigrateCommand
from django.db import connection

from operations import grants
from opsconsole.owner import as_owner


class Command(MigrateCommand):
    """Django's command with DATABASE_OWNER_URL, followed by operations.grants."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate, then grant. Both see the owner's connection."""
        runtime_role = connection.settings_dict["USER"]
        with as_owner():
            super().handle(*args, **options)
            if settings.DATABASE_OWNER is not None:
                grants.apply(connection, runtime_role)
