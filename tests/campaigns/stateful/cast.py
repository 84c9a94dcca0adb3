"""Who acts in the stories, made once for a run: people with their roles, agents with tokens."""

from dataclasses import dataclass

from django.contrib.auth.models import User

from operations.actors import Actor
from tests.build import a_person, as_actor
from tests.operations.api.caller import ApiCaller, a_caller

# Rita answers for agent "ours": her roles would let her do everything, her part forbids it.
ROLES = {
    "rita": {"operator", "approver"},
    "otto": {"operator"},
    "olga": {"operator"},
    "anna": {"approver"},
    "adam": {"approver"},
    "vera": {"viewer"},
    "paul": set(),
}
RESPONSIBLE = {"ours": "rita", "theirs": "paul"}
VIEWER = "otto"


@dataclass(frozen=True, kw_only=True)
class Cast:
    """Actors by name. `narrow` is a token of ours that reaches another environment only."""

    users: dict[str, User]
    people: dict[str, Actor]
    agents: dict[str, ApiCaller]
    narrow: ApiCaller


def hire() -> Cast:
    """All of them, on an empty record."""
    users = {name: a_person(name, *roles) for name, roles in ROLES.items()}
    agents = {name: a_caller(name, owner=users[owner]) for name, owner in RESPONSIBLE.items()}
    narrow = a_caller("ours", owner=users["rita"], environments=("staging",))
    people = {name: as_actor(user) for name, user in users.items()}
    return Cast(users=users, people=people, agents=agents, narrow=narrow)
