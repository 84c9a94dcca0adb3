"""An unknown outcome is looked up at its receiver: take the slot, ask, write down (rules 5, 9)."""

from enum import StrEnum
from uuid import UUID

from django.db import transaction

from operations import clock
from operations.actions.apply_event import lock_operation, record_change
from operations.actions.lend_connection import lend_connection
from operations.actions.open_review import open_review
from operations.actions.patience import patiently
from operations.actions.take_slot import enter_claim, take_slot
from operations.actors import Actor
from operations.models import Operation
from operations.protocol.profiles import Profile, quarantine_ends_at
from operations.protocol.refusals import UnknownReceiver
from operations.protocol.states import Purpose, Question, State
from operations.queries.last_call import last_call_of
from operations.registry import receiver
from reconciliation.actions.ask_receiver import LEASE_SECONDS, Asking, ask_receiver
from reconciliation.actions.looked import LOOKED_UP_STATES
from reconciliation.actions.lookup_row import Asked
from reconciliation.actions.pass_gate import note_probe, pass_gate
from reconciliation.actions.record_lookup import record_lookup
from reconciliation.actions.stall_lookup import schedule_lookup, stall_lookup
from reconciliation.protocol.verdicts import conclude_without_lookup


class Reconciled(StrEnum):
    """How far one run came."""

    NOT_DUE = "not_due"
    WAITS = "waits"
    HELD_BACK = "held_back"
    PERSON_ASKED = "person_asked"
    LOOKED_UP = "looked_up"


def reconcile_operation(*, operation_id: UUID, holder: str) -> Reconciled:
    """Look a due operation up and record what was seen; it never sends.

    A receiver without lookup goes to a person once the quarantine is over. Where the receiver has
    no room, or its circuit is open, the lookup stays due. Running it twice, or for a row that is
    not due, does nothing.
    """
    actor = Actor.system("reconciler")
    try:
        question = _take(operation_id, holder, actor)
    except _HeldBack:
        return Reconciled.HELD_BACK
    if isinstance(question, Reconciled):
        return question
    asked_at = clock.now()
    lend_connection()
    seen = ask_receiver(question)
    asked = Asked(
        operation_id=operation_id,
        generation=question.operation.generation,
        token=question.token,
        asked_at=asked_at,
    )
    patiently(lambda: record_lookup(asked=asked, seen=seen, actor=actor))
    return Reconciled.LOOKED_UP


class _HeldBack(Exception):
    """The receiver is not to be asked now: the transaction that took the slot is undone."""


def _take(operation_id: UUID, holder: str, actor: Actor) -> Asking | Reconciled:
    with transaction.atomic(durable=True):
        operation = Operation.objects.filter(
            pk=operation_id,
            state__in=LOOKED_UP_STATES,
            next_try_at__lte=clock.now(),
        ).first()
        if operation is None:
            return Reconciled.NOT_DUE
        try:
            config = receiver(operation.receiver, operation.environment)
        except UnknownReceiver as unknown:
            stall_lookup(operation_id=operation_id, why=unknown.detail, actor=actor)
            return Reconciled.PERSON_ASKED
        if not config.profile.has_lookup:
            return _ask_a_person(operation_id, config.profile, actor)
        taken = take_slot(
            operation_id=operation_id,
            purpose=Purpose.RECONCILE,
            holder=holder,
            lease_seconds=LEASE_SECONDS,
            is_due_only=True,
        )
        if not taken:
            return Reconciled.NOT_DUE
        operation.refresh_from_db()
        assert operation.claim_token is not None
        place = {"environment": operation.environment, "receiver": operation.receiver}
        room = pass_gate(**place, profile=config.profile, wanted=1)
        if not room.count:
            raise _HeldBack
        if room.is_probe:
            note_probe(**place, token=operation.claim_token, lease_seconds=LEASE_SECONDS)
        claim = enter_claim(operation, actor=actor, lease_seconds=LEASE_SECONDS, nonce="")
        record_change(
            operation,
            "claim",
            actor=actor,
            at=claim.taken_at,
            bumps_version=False,
            token=claim.token,
            detail={
                "holder": holder,
                "purpose": claim.purpose,
                "lease_seconds": claim.lease_seconds,
            },
        )
        return Asking(operation=operation, token=claim.token, config=config)


def _ask_a_person(operation_id: UUID, profile: Profile, actor: Actor) -> Reconciled:
    operation = lock_operation(operation_id)
    now = clock.now()
    if operation.state != State.SENT_UNKNOWN:
        schedule_lookup(operation, actor=actor, at=now, next_try_at=None)
        return Reconciled.WAITS
    last_at = last_call_of(operation, profile)
    conclusion = conclude_without_lookup(profile, last_call_at=last_at, now=now)
    if conclusion is None:
        ends_at = quarantine_ends_at(profile, last_at)
        schedule_lookup(operation, actor=actor, at=now, next_try_at=ends_at)
        return Reconciled.WAITS
    schedule_lookup(operation, actor=actor, at=now, next_try_at=None)
    open_review(operation, Question.UNKNOWN_OUTCOME, reason=conclusion.reason, actor=actor, at=now)
    return Reconciled.PERSON_ASKED
