"""What happened to an operation since a version that somebody saw (rule 8)."""

from collections.abc import Iterable
from typing import Any

from operations.actors import ActorKind
from operations.models import Agent, AuditEntry, Operation

SHOWN = 20


def changes_since(operation: Operation, version: int) -> list[dict[str, Any]]:
    """What each later change was, by whom and when, oldest first; at most 20, as plain JSON.

    Members: event, by, at (ISO 8601), version, state.
    """
    later = AuditEntry.objects.filter(operation=operation, version__gt=version)
    entries = list(later.select_related("words").order_by("seq")[:SHOWN])
    agents = agent_names(entries)
    return [
        {
            "event": entry.event,
            "by": name_of(entry, agents),
            "at": entry.at.isoformat(),
            "version": entry.version,
            "state": entry.state_after,
        }
        for entry in entries
    ]


def agent_names(entries: Iterable[AuditEntry]) -> dict[str, str]:
    """The names of the agents that these entries name, by id as text: one query."""
    ids = {entry.actor_id for entry in entries if entry.actor_kind == ActorKind.AGENT}
    agents = Agent.objects.filter(pk__in=ids)
    return {str(agent.pk): agent.name for agent in agents}


def name_of(entry: AuditEntry, agents: dict[str, str]) -> str:
    """Who an entry names: a person (until their words are erased), an agent or a part of us."""
    if entry.actor_kind == ActorKind.AGENT:
        return agents.get(entry.actor_id, f"agent {entry.actor_id}")
    if entry.actor_kind == ActorKind.PERSON:
        words = getattr(entry, "words", None)
        return (words.actor_name if words else "") or f"person {entry.actor_id}"
    return entry.actor_id
