"""Administration of who may come in: people, their roles, agents and tokens. Evidence is not here:
what was recorded is read on the console's own pages and changed nowhere."""

from operations.admin import agents, people
from operations.admin.site import site

__all__ = ["agents", "people", "site"]
