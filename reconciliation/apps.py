"""The reconciliation app: how an unknown becomes known."""

from django.apps import AppConfig


class ReconciliationConfig(AppConfig):
    """Registers the models; wiring lives in the project package."""

    name = "reconciliation"
    default_auto_field = "django.db.models.BigAutoField"
