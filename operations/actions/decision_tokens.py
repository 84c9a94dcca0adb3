"""A form carries a token, so that sending it twice is one decision."""

from datetime import datetime

from django.contrib.auth.models import User

from operations.actions.reasons import optional_words
from operations.models import DecisionToken, Operation
from operations.protocol.refusals import InvalidField
from operations.protocol.words import shortened

LONGEST = 64


def is_repeat(decision_id: str, *, act: str, user: User, operation: Operation | None) -> bool:
    """Whether this very form was carried out before; an empty token never was.

    Ask it under the lock of what is decided about. Raises InvalidField for a token of another
    person, act or operation.
    """
    token = _checked(decision_id)
    found = DecisionToken.objects.filter(token=token).first() if token else None
    if found is None:
        return False
    same = (found.person_id, found.act, found.operation_id)
    if same != (user.pk, act, operation.pk if operation else None):
        raise InvalidField(
            field="decision_id",
            expected="the token of this form, as it was sent to you",
            got=f"one that was used for {found.act}",
        )
    return True


def remember(
    decision_id: str, *, act: str, user: User, operation: Operation | None, at: datetime
) -> None:
    """Write the token in the transaction that carries the decision out."""
    token = _checked(decision_id)
    if token:
        DecisionToken.objects.create(token=token, act=act, person=user, operation=operation, at=at)


def _checked(decision_id: str) -> str:
    token = optional_words(decision_id, field="decision_id")
    if len(token) > LONGEST:
        raise InvalidField(
            field="decision_id",
            expected=f"at most {LONGEST} characters",
            got=shortened(token, limit=LONGEST),
        )
    return token
