"""The operations app: what an operation is and how it may move."""

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    """Registers the models; wiring lives in the project package."""

    name = "operations"
    default_auto_field = "django.db.models.BigAutoField"
