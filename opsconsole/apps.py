"""The project as an app: it carries the commands and the system checks."""

from django.apps import AppConfig


class OpsconsoleConfig(AppConfig):
    """Wires Celery and the checks once the apps are loaded."""

    name = "opsconsole"

    def ready(self) -> None:
        """Register the checks and what writes sign-ins down; make our Celery app the current one,
        so that hints get there."""
        from opsconsole import checks, sign_in_record  # noqa: F401 - importing registers them
        from opsconsole.celery import app

        app.set_default()
