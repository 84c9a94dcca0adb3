"""A person halts dispatch: of all, of an environment, or of a receiver; effective at the mark."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import connection

from operations import clock, registry
from operations.actions.decision_tokens import is_repeat, remember
from operations.actions.mark_attempt import HALT_LOCK
from operations.actions.people import person_of
from operations.actions.reasons import require_words
from operations.actions.refused_acts import a_persons_act
from operations.actors import Actor
from operations.audit import CONFIGURATION, append_entry
from operations.models import Halt
from operations.protocol.refusals import AlreadyDecided, NotFound, UnknownReceiver
from operations.roles import Ability, require

HALT = "halt_dispatch"
RESUME = "resume_dispatch"


def halt_dispatch(
    *,
    actor: Actor,
    reason: str,
    environment: str = "",
    receiver: str = "",
    decision_id: str = "",
) -> Halt:
    """The halt of this scope ("" is every one). From its commit on no mark goes through.

    It waits for the marks under way, so none commits after it. A scope that is halted already
    keeps its first halt. Raises NotPermitted, UnknownEnvironment, UnknownReceiver, InvalidField.
    """
    with a_persons_act(HALT, actor=actor, subject=_scope(environment, receiver)):
        user = person_of(actor)
        require(user, Ability.HALT)
        _require_configured(environment, receiver)
        words = require_words(reason, expected="why dispatch is to stop")
        _wait_for_marks()
        at = clock.now()
        standing = Halt.objects.filter(
            environment=environment, receiver=receiver, lifted_at=None
        ).first()
        if standing is not None or is_repeat(decision_id, act=HALT, user=user, operation=None):
            return standing or Halt.objects.filter(halted_by=user).latest("at")
        halt = Halt.objects.create(
            environment=environment, receiver=receiver, reason=words, halted_by=user, at=at
        )
        _write_down(HALT, halt, actor, user, at=at, reason=words, decision_id=decision_id)
        return halt


def resume_dispatch(*, halt_id: int, actor: Actor, reason: str, decision_id: str = "") -> Halt:
    """The halt, lifted. What became due meanwhile is found by the sweep.

    Raises NotPermitted, NotFound, AlreadyDecided naming who lifted it, InvalidField.
    """
    with a_persons_act(RESUME, actor=actor, subject=f"halt {halt_id}"):
        user = person_of(actor)
        require(user, Ability.HALT)
        words = require_words(reason, expected="why dispatch may go on")
        locked = Halt.objects.select_for_update(of=("self",))
        halt = locked.filter(pk=halt_id).first()
        if halt is None:
            raise NotFound(what="halt", got=str(halt_id))
        if is_repeat(decision_id, act=RESUME, user=user, operation=None):
            return halt
        if halt.lifted_at is not None:
            by = halt.lifted_by.username if halt.lifted_by else "the system"
            raise AlreadyDecided(status="lifted", by=by, since=halt.lifted_at)
        at = clock.now()
        halt.lifted_at, halt.lifted_by, halt.lift_reason = at, user, words
        halt.save(update_fields=["lifted_at", "lifted_by", "lift_reason"])
        _write_down(RESUME, halt, actor, user, at=at, reason=words, decision_id=decision_id)
        return halt


def _wait_for_marks() -> None:
    """Every mark holds the same lock, shared, until its commit."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [HALT_LOCK])


def _require_configured(environment: str, receiver: str) -> None:
    if environment:
        registry.environment(environment)
    places = registry.configuration().receivers
    known = sorted({name for place, name in places if environment in ("", place)})
    if receiver and receiver not in known:
        raise UnknownReceiver(field="receiver", expected=", ".join(known), got=receiver)


def _write_down(
    act: str,
    halt: Halt,
    actor: Actor,
    user: User,
    *,
    at: datetime,
    reason: str,
    decision_id: str,
) -> None:
    append_entry(
        about=None,
        stream=CONFIGURATION,
        event=act,
        actor=actor,
        at=at,
        reason=reason,
        detail={"halt": halt.pk, "environment": halt.environment, "receiver": halt.receiver},
    )
    remember(decision_id, act=act, user=user, operation=None, at=at)


def _scope(environment: str, receiver: str) -> str:
    return " ".join(filter(None, [environment, receiver])) or "everything"
