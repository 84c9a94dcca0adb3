"""The project as an app: it carries the commands and the system checks."""

from django.apps import AppConfig


class OpsconsoleConfig(AppConfig):
    """Wires Celery and the checks once the apps are loaded."""

    name = "opsconsole"

    def ready(self) -> None:
        """Register the checks; make our Celery app the current one, so that hints get there."""
        from opsconsole import checks  # noqa: F401 - importing it registers the checks
        from opsconsole.celery import app

        app.set_default()
