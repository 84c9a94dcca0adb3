"""The operation that a new one supersedes or makes up for, and whether that may be (rule 3)."""

from uuid import UUID

from operations.actions.approval_expiry import expire_overdue_request
from operations.actions.closed_choice import closed, closed_by
from operations.actions.registration import Registration
from operations.actors import Actor
from operations.models import Operation
from operations.protocol.choice_rules import RULES
from operations.protocol.refusals import InvalidField
from operations.protocol.states import OPEN_STATES, ChoiceCode, State
from operations.queries.facts import facts_of
from operations.registry import profile_of

EXPECTED = "the id of an operation of yours in this environment"


def superseded(wanted: Registration, *, actor: Actor) -> Operation | None:
    """The old one, its row locked; None where none is named.

    Raises InvalidField, and ChoiceClosed unless it is settled without an effect, nothing about it
    is unanswered, and no other successor is open or confirmed.
    """
    old = _linked("supersedes", wanted.supersedes, actor=actor, environment=wanted.environment)
    if old is None:
        return None
    _require_open(ChoiceCode.SUPERSEDE, old)
    other = successor(old)
    # One of the same key is this very request, registered while we waited for the row.
    if other is not None and other.key != wanted.key:
        raise closed(
            ChoiceCode.SUPERSEDE,
            "wrong_state",
            f"{other.key} replaces it already, and is {other.state}.",
            "Follow that one; a second successor could be a second effect.",
        )
    return old


def compensated(wanted: Registration, *, actor: Actor) -> Operation | None:
    """The old one, its row locked; None where none is named. Raises InvalidField, ChoiceClosed."""
    old = _linked("compensates", wanted.compensates, actor=actor, environment=wanted.environment)
    if old is not None:
        _require_open(ChoiceCode.COMPENSATE, old)
    return old


def successor(old: Operation) -> Operation | None:
    """The one that may still have, or had, the effect in its place."""
    alive = (*OPEN_STATES, State.CONFIRMED)
    return old.superseded_by.filter(state__in=alive).order_by("-created_at").first()


def _require_open(choice: ChoiceCode, old: Operation) -> None:
    """By the record alone: who holds its case is an affair between people."""
    # The clock is asked by no rule of these two choices.
    for blocker in RULES[choice].blockers(facts_of(old), profile_of(old), old.updated_at):
        raise closed_by(choice, blocker)


def _linked(field: str, given: str, *, actor: Actor, environment: str) -> Operation | None:
    if not given:
        return None
    try:
        pk = UUID(given)
    except ValueError:
        raise InvalidField(field=field, expected=EXPECTED, got=given[:80]) from None
    scope = Operation.objects.filter(environment=environment)
    if actor.agent_id is not None:
        scope = scope.filter(agent_id=actor.agent_id)
    found = scope.select_for_update(of=("self",)).filter(pk=pk).first()
    if found is None:
        raise InvalidField(field=field, expected=EXPECTED, got=given)
    expire_overdue_request(found)
    return found
