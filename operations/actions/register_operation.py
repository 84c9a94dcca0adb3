"""An agent registers an operation, or observes the one it registered before (rule 12)."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, connection, transaction
from django.db.models import Q

from operations import clock, hints, rows
from operations.actions.apply_event import record_change
from operations.actions.ask_approval import open_request, policy_for
from operations.actions.linked_operation import compensated, superseded
from operations.actions.match_receipts import take_in_unmatched_receipts
from operations.actions.observe_operation import observe
from operations.actions.registration import Prepared, Registration, prepare, require_key
from operations.actors import Actor, ActorKind
from operations.audit import append_entry
from operations.models import Operation
from operations.protocol.policies import Policy
from operations.protocol.refusals import KeyTaken, Refusal
from operations.protocol.states import OPEN_STATES, ApprovalSubject, Executor, State

DUPLICATE_DAYS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """The operation, and whether this call made it."""

    operation: Operation
    is_new: bool


def register_operation(*, actor: Actor, registration: Registration) -> Registered:
    """The operation of (environment, key): a new one, or the same one observed.

    What is on record is observed whatever the configuration says by now; only a new one has to be
    acceptable today. Raises what `prepare` raises; KeyTaken for another agent's key; KeyReused
    with differences when anything about the request differs (both are recorded); ChoiceClosed for
    a `supersedes` or `compensates` that its record does not allow, whoever asks.
    """
    require_key(registration.key)
    try:
        outcome = _attempt(actor, registration)
    except IntegrityError:
        # Somebody else registered this key between our look and our insert; now it is there.
        outcome = _attempt(actor, registration)
    if isinstance(outcome, Refusal):
        raise outcome
    return outcome


@transaction.atomic
def _attempt(actor: Actor, wanted: Registration) -> Registered | Refusal:
    identity = [wanted.environment, wanted.key]
    standing = rows.locked(Operation, "environment = %s AND key = %s", identity)
    if standing is None:
        return Registered(operation=_create(actor, prepare(wanted)), is_new=True)
    if standing.agent_id != actor.agent_id:
        record_change(standing, "key_taken", actor=actor, at=clock.now(), bumps_version=False)
        return KeyTaken(key=wanted.key)
    refusal = observe(standing, wanted, actor=actor)
    return refusal or Registered(operation=standing, is_new=False)


def _create(actor: Actor, prepared: Prepared) -> Operation:
    wanted = prepared.registration
    supersedes = superseded(wanted, actor=actor)
    compensates = compensated(wanted, actor=actor)
    now = clock.now()
    operation = _unsaved(actor, prepared, at=now)
    operation.supersedes, operation.compensates = supersedes, compensates
    agent_name = actor.name if actor.kind == ActorKind.AGENT else None
    policy = policy_for(operation, agent_name=agent_name)
    twin = _possible_duplicate(operation, at=now)
    asks = bool(policy or twin or supersedes or compensates)
    operation.state = State.AWAITING_APPROVAL if asks else State.READY
    is_dispatched = not asks and operation.executor == Executor.CONSOLE
    operation.next_try_at = now if is_dispatched else None
    rows.insert(operation)
    append_entry(
        about=operation,
        event="register",
        actor=actor,
        at=now,
        after=operation.state,
        detail={
            "environment": operation.environment,
            "key": operation.key,
            "kind": operation.kind,
            "receiver": operation.receiver,
            "executor": str(operation.executor),
            "request_digest": operation.request_digest,
        },
    )
    if asks:
        _ask(operation, actor, policy=policy, twin=twin, at=now)
    take_in_unmatched_receipts(operation, actor=actor, at=now)
    if is_dispatched:
        hints.dispatch_soon(operation.pk)
    return operation


def _unsaved(actor: Actor, prepared: Prepared, *, at: datetime) -> Operation:
    wanted, request = prepared.registration, prepared.request
    return Operation(
        environment=wanted.environment,
        key=wanted.key,
        kind=wanted.kind,
        receiver=wanted.receiver,
        executor=str(wanted.executor),
        reference=wanted.reference,
        goal=wanted.goal,
        context=prepared.context_text,
        agent_id=actor.agent_id,
        requested_by_id=actor.person_id,
        payload_text=prepared.payload_text,
        payload_canonical=prepared.payload_canonical,
        payload_digest=prepared.payload_digest,
        title=prepared.title,
        amount=prepared.money.amount if prepared.money else None,
        currency=prepared.money.currency if prepared.money else "",
        idempotency_key=prepared.idempotency_key,
        request_method=request.method if request else "",
        request_url=request.url if request else "",
        request_body=request.body if request else None,
        request_digest=prepared.request_digest,
        state_since=at,
        created_at=at,
        updated_at=at,
    )


def _possible_duplicate(operation: Operation, *, at: datetime) -> Operation | None:
    """The newest twin under another key (section 6); the lock covers this look and our insert."""
    if not operation.reference:
        return None
    scope = (operation.environment, operation.kind, operation.reference, operation.payload_digest)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 30))", ["\n".join(scope)])
    recent = Q(state__in=(State.CONFIRMED, State.REFUSED)) & Q(
        state_since__gte=at - timedelta(days=DUPLICATE_DAYS)
    )
    twins = Operation.objects.filter(
        Q(state__in=OPEN_STATES) | recent,
        environment=operation.environment,
        kind=operation.kind,
        reference=operation.reference,
        payload_digest=operation.payload_digest,
    )
    if operation.supersedes:  # that one is named, and settled without an effect
        twins = twins.exclude(pk=operation.supersedes.pk)
    return twins.order_by("-created_at").first()


def _ask(
    operation: Operation,
    actor: Actor,
    *,
    policy: Policy | None,
    twin: Operation | None,
    at: datetime,
) -> None:
    """One request carries every reason to ask; the strongest names its subject."""
    if twin:
        subject = ApprovalSubject.POSSIBLE_DUPLICATE
        sentence = f"The same request stands under key {twin.key} ({twin.state}). Are these two?"
    elif operation.supersedes:
        subject = ApprovalSubject.SUPERSESSION
        sentence = f"Replaces {operation.supersedes.key}, which is {operation.supersedes.state}."
    elif operation.compensates:
        subject = ApprovalSubject.OPERATION
        old = operation.compensates
        sentence = f"Makes up for {old.key}, which is {old.state}."
    else:
        subject, sentence = ApprovalSubject.OPERATION, ""
    open_request(operation, subject=subject, policy=policy, actor=actor, at=at, sentence=sentence)
