"""Who acts. Every action names its actor; there is no ambient user."""

from dataclasses import dataclass
from enum import StrEnum


class ActorKind(StrEnum):
    """The three kinds of actor an audit entry can name."""

    PERSON = "person"
    AGENT = "agent"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """One actor of one request.

    `name` is what people read; `person_id` is the person who acts or, for an agent, the owner of
    the token it used, who is responsible for what it asks (rule 13).
    """

    kind: ActorKind
    id: str
    name: str
    person_id: int | None = None
    agent_id: int | None = None
    responsible_ids: frozenset[int] = frozenset()
    request_id: str = ""

    @classmethod
    def system(cls, name: str, *, request_id: str = "") -> "Actor":
        """A worker, a sweep or a receiver's own channel."""
        return cls(kind=ActorKind.SYSTEM, id=name, name=name, request_id=request_id)

    @classmethod
    def person(cls, *, person_id: int, username: str, request_id: str = "") -> "Actor":
        """A signed-in person."""
        return cls(
            kind=ActorKind.PERSON,
            id=str(person_id),
            name=username,
            person_id=person_id,
            request_id=request_id,
        )

    @classmethod
    def agent(
        cls,
        *,
        agent_id: int,
        name: str,
        owner_id: int,
        responsible_id: int,
        request_id: str = "",
    ) -> "Actor":
        """An agent that came with a token of `owner_id`."""
        return cls(
            kind=ActorKind.AGENT,
            id=str(agent_id),
            name=name,
            person_id=owner_id,
            agent_id=agent_id,
            responsible_ids=frozenset({owner_id, responsible_id}),
            request_id=request_id,
        )
