"""The agent of the drills, the person behind it, who can't sign in, and a token for one run."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.db import transaction

from operations import clock
from operations.actions.create_token import create_token
from operations.actions.record_access import record_access
from operations.actions.revoke_token import revoke_token
from operations.models import Agent
from operations.registry import DRILL, DRILL_AGENT
from opsconsole.drill.failing import CannotDrill
from reconciliation.actions.record_drill import DRILL_ACTOR


@contextmanager
def a_token(*, lives_seconds: int) -> Iterator[str]:
    """The secret of a token that reaches the drills' environment alone; revoked at the end.

    Were this process killed, it would expire by itself. Raises CannotDrill.
    """
    person = _person()
    _require_free_name(person)
    made = create_token(
        actor=DRILL_ACTOR,
        agent_name=DRILL_AGENT,
        owner=person,
        environments=(DRILL,),
        expires_at=clock.now() + timedelta(seconds=lives_seconds),
    )
    try:
        yield made.secret
    finally:
        revoke_token(actor=DRILL_ACTOR, token_id=made.token.pk)


@transaction.atomic
def _person() -> User:
    """Who answers for the agent: an account with no password, no address and no role.

    Of two drills that come at once, one makes it and the other finds it.
    """
    person, is_new = User.objects.get_or_create(
        username=DRILL_AGENT, defaults={"password": make_password(None)}
    )
    if is_new:
        detail = {"person": person.pk, "after": {"roles": [], "is_active": True}}
        record_access(
            event="add_person",
            actor=DRILL_ACTOR,
            detail=detail,
            reason=f"the account {DRILL_AGENT}",
        )
    if _can_do_something(person):
        raise CannotDrill(
            f"The account {DRILL_AGENT} is kept for drills, and this one has a password, an "
            "address, a role or a permission. Take them away, or rename it, under Administration."
        )
    return person


def _can_do_something(person: User) -> bool:
    return (
        person.has_usable_password()
        or person.is_staff
        or person.is_superuser
        or bool(person.email)
        or person.groups.exists()
        or person.user_permissions.exists()
    )


def _require_free_name(person: User) -> None:
    other = Agent.objects.filter(name=DRILL_AGENT).exclude(responsible=person).first()
    if other is not None:
        raise CannotDrill(
            f"The agent {DRILL_AGENT} is kept for drills, and {other.responsible} answers for this "
            f"one. Make {DRILL_AGENT} responsible for it under Administration."
        )
