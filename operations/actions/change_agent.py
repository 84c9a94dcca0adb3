"""An administrator makes agents, and says who answers for them and whether they may come in."""

from django.contrib.auth.models import User
from django.db import transaction

from operations.actions.record_access import record_access
from operations.actors import Actor
from operations.models import Agent
from operations.protocol.refusals import InvalidField


@transaction.atomic
def add_agent(*, actor: Actor, name: str, responsible: User) -> Agent:
    """A new agent; it comes in once it has a token. Raises InvalidField for its name."""
    if not name.strip() or not name.isprintable():
        raise InvalidField(field="name", expected="a printable name", got=ascii(name))
    agent = Agent.objects.create(name=name, responsible=responsible)
    detail = {"agent": name, "agent_id": agent.pk, "responsible": responsible.pk}
    record_access(event="add_agent", actor=actor, detail=detail)
    return agent


@transaction.atomic
def change_agent(*, actor: Actor, agent_id: int, responsible: User, is_active: bool) -> Agent:
    """The agent as it is from now on. Requests that are open keep whom they exclude.

    Raises Agent.DoesNotExist. A change of nothing leaves no entry.
    """
    agent = Agent.objects.select_for_update().get(pk=agent_id)
    before = {"responsible": agent.responsible_id, "is_active": agent.is_active}
    after = {"responsible": responsible.pk, "is_active": is_active}
    if before != after:
        agent.responsible, agent.is_active = responsible, is_active
        agent.save(update_fields=["responsible", "is_active"])
        detail = {"agent": agent.name, "agent_id": agent.pk, "before": before, "after": after}
        record_access(event="change_agent", actor=actor, detail=detail)
    return agent
