"""The project as an app: it carries the commands and the system checks."""

from django.apps import AppConfig


class OpsconsoleConfig(AppConfig):
    """Wires Celery and the checks once the apps are loaded."""

    name = "opsconsole"

    def ready(self) -> None:
        """Register the checks and what writes sign-ins down; shape the log; make our Celery app
        the current one, so that hints get there."""
        from opsconsole import checks, logs, sign_in_record  # noqa: F401 - importing registers
        from opsconsole.celery import app

        logs.configure()
        app.set_default()
