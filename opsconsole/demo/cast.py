"""Who plays in the seeded history."""

from dataclasses import dataclass

from django.contrib.auth.models import User

from operations.actors import Actor
from operations.models import Agent
from opsconsole.demo.receiver import Sandbox


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """The demo's people by username, its agents by name, and the receiver they send to."""

    people: dict[str, User]
    agents: dict[str, Agent]
    sandbox: Sandbox
    system: Actor

    def agent(self, name: str) -> Actor:
        """An agent as it acts, with a token of its responsible person."""
        agent = self.agents[name]
        return Actor.agent(
            agent_id=agent.pk,
            name=agent.name,
            owner_id=agent.responsible_id,
            responsible_id=agent.responsible_id,
        )

    def person(self, name: str) -> Actor:
        """A person as they act on a page."""
        user = self.people[name]
        return Actor.person(person_id=user.pk, username=user.get_username())

    def close(self) -> None:
        """Close the connection to the receiver."""
        self.sandbox.close()
