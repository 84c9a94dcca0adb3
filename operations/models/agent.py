"""Who may ask: agents, their responsible people, and their tokens."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q


class Agent(models.Model):
    """A named client. It sees and claims its own operations only."""

    name = models.TextField(unique=True)
    responsible = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="agents"
    )
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class ApiToken(models.Model):
    """A bearer token, kept as the SHA-256 of its secret. Empty lists mean "all configured"."""

    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="tokens")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    prefix = models.TextField()
    digest = models.CharField(max_length=64, unique=True)
    environments = ArrayField(models.TextField(), default=list, blank=True)
    kinds = ArrayField(models.TextField(), default=list, blank=True)
    receivers = ArrayField(models.TextField(), default=list, blank=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="token_digest_is_sha256", condition=Q(digest__regex="^[0-9a-f]{64}$")
            )
        ]

    def __str__(self) -> str:
        return f"{self.prefix}… of {self.agent_id}"
