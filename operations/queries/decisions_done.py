"""Which forms were carried out, by the token each of them carries."""

from uuid import UUID

from operations.models import DecisionToken


def was_carried_out(token: str, *, person_id: int, operation_id: UUID | None) -> bool:
    """Whether this person's form with this token was carried out, about this or about none."""
    if not token or "\0" in token:
        return False
    done = DecisionToken.objects.filter(token=token, person=person_id, operation=operation_id)
    return done.exists()
