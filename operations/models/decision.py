"""One submission of a form, so that a double click, Enter twice or a reload is one decision."""

from django.conf import settings
from django.db import models

from operations.models.columns import append_only


class DecisionToken(models.Model):
    """The token that a form carried when it was carried out; a second one is the same decision.

    `act` is the word for what was done.
    """

    token = models.TextField(unique=True)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    act = models.TextField()
    operation = models.ForeignKey(
        "operations.Operation", null=True, on_delete=models.PROTECT, related_name="+"
    )
    at = models.DateTimeField()

    class Meta:
        triggers = [append_only()]

    def __str__(self) -> str:
        return f"{self.act} by {self.person_id}"
