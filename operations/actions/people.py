"""Who the person is that acts, and whether they had a part in what is decided about (rule 13)."""

from django.contrib.auth.models import User

from operations.actors import Actor, ActorKind
from operations.models import Operation
from operations.protocol.refusals import NotPermitted, OwnRequest
from operations.queries.involvement import involved


def person_of(actor: Actor) -> User:
    """The signed-in person that acts. Raises NotPermitted for agents and systems (rule 14)."""
    if actor.kind != ActorKind.PERSON or actor.person_id is None:
        raise NotPermitted(expected="a person", got=f"{actor.kind} {actor.name}")
    user = User.objects.filter(pk=actor.person_id).first()
    if user is None:
        raise NotPermitted(expected="a person", got="an account that is gone")
    return user


def require_uninvolved(operation: Operation, user: User) -> None:
    """Rule 13: whoever asked for the effect does not decide about it. Raises OwnRequest."""
    part = involved(operation).get(user.pk)
    if part is not None:
        raise OwnRequest(got=part)
