"""The demo's people and agents. What exists is kept, so that passwords and tokens go on to work."""

import hashlib
from concurrent.futures import ThreadPoolExecutor

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group, User

from operations.actions.create_token import create_token
from operations.actors import Actor
from operations.models import Agent, ApiToken
from operations.roles import Role
from opsconsole.demo.record import AGENTS, PEOPLE, DemoRecord, new_password

ROLES = {
    "operator": Role.OPERATOR,
    "operator2": Role.OPERATOR,
    "approver": Role.APPROVER,
    "approver2": Role.APPROVER,
    "auditor": Role.AUDITOR,
    "viewer": Role.VIEWER,
    "admin": Role.ADMIN,
}
# Who answers for each agent's requests. They are not among those who may sign in, so that
# everybody who is may decide (rule 13).
RESPONSIBLE = {"agent-1": "procurement-lead", "agent-2": "customer-care-lead"}


def ensure_people(record: DemoRecord) -> dict[str, User]:
    """Everybody by username. A person without a kept password gets a new one, into `record`."""
    known = {user.get_username(): user for user in User.objects.filter(username__in=_everybody())}
    fresh = [name for name in PEOPLE if name not in known or name not in record.passwords]
    record.passwords |= {name: new_password() for name in fresh}
    # Hashing is slow on purpose, and lets other threads run meanwhile.
    with ThreadPoolExecutor() as pool:
        hashed = pool.map(make_password, [record.passwords[name] for name in fresh])
        hashes = dict(zip(fresh, hashed, strict=True))
    for name in _everybody():
        user = known.get(name) or User(username=name, password=make_password(None))
        if name in hashes:
            user.password = hashes[name]
        if name in hashes or name not in known:
            user.is_staff = ROLES.get(name) == Role.ADMIN
            user.save()
            user.groups.set(Group.objects.filter(name=ROLES.get(name, Role.VIEWER)))
        known[name] = user
    return known


def ensure_agents(record: DemoRecord, people: dict[str, User]) -> dict[str, Agent]:
    """The agents by name. One without a kept token that is still known gets one, into `record`."""
    for name in AGENTS:
        secret = record.tokens.get(name, "")
        digest = hashlib.sha256(secret.encode()).hexdigest()
        if not ApiToken.objects.filter(digest=digest, agent__name=name, revoked_at=None).exists():
            made = create_token(
                actor=Actor.system("seed_demo"),
                agent_name=name,
                owner=people[RESPONSIBLE[name]],
                expires_at=None,
            )
            record.tokens[name] = made.secret
    return {agent.name: agent for agent in Agent.objects.filter(name__in=AGENTS)}


def _everybody() -> tuple[str, ...]:
    return (*PEOPLE, *RESPONSIBLE.values())
