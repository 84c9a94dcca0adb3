"""A person leaves a note for the next; it changes nothing else, so it needs no version."""

from uuid import UUID

from operations import clock
from operations.actions.apply_event import lock_operation, record_change
from operations.actions.decision_tokens import is_repeat, remember
from operations.actions.people import person_of
from operations.actions.reasons import require_words
from operations.actions.refused_acts import a_persons_act
from operations.actors import Actor
from operations.models import Note
from operations.roles import Ability, require

ACT = "add_note"


def add_note(*, operation_id: UUID, actor: Actor, text: str, decision_id: str = "") -> Note:
    """The note. Raises NotPermitted, NotFound, InvalidField for an empty or over-long one."""
    with a_persons_act(ACT, actor=actor, subject=operation_id):
        user = person_of(actor)
        require(user, Ability.NOTE)
        operation = lock_operation(operation_id)
        at = clock.now()
        if is_repeat(decision_id, act=ACT, user=user, operation=operation):
            return operation.notes.filter(person=user).latest("at")
        words = require_words(text, field="text", expected="what the next person should know")
        note = Note.objects.create(operation=operation, person=user, text=words, at=at)
        # The words are personal: they go beside the entry, their salted digest into it.
        record_change(
            operation,
            "note",
            actor=actor,
            at=at,
            bumps_version=False,
            reason=words,
            detail={"note": note.pk},
        )
        remember(decision_id, act=ACT, user=user, operation=operation, at=at)
        return note
