"""The mark: `sent_unknown` and the attempt are on disk before the call leaves (rule 1)."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection, transaction

from operations import rows
from operations.actions.apply_event import apply_event, lock_operation
from operations.actions.ask_approval import ask_for_new_round, policy_for, valid_approval
from operations.actions.claim_operation import is_held
from operations.actions.own_claim import refuse_foreign_token
from operations.actions.turn_back import turn_back
from operations.actors import Actor, ActorKind
from operations.models import Approval, Attempt, Halt, Operation
from operations.protocol.choices import release_blockers
from operations.protocol.refusals import (
    AlreadyMarked,
    ApprovalRequired,
    Halted,
    Held,
    NotClaimable,
    NotFound,
    Refusal,
    StaleClaim,
)
from operations.protocol.states import Executor, Purpose, State
from operations.protocol.transitions import Event
from operations.queries.facts import facts_of
from operations.queries.standing import MarkStanding, mark_standing
from operations.registry import profile_of

LEAST_SECONDS = 2
HALT_LOCK = 7001


def mark_attempt(
    *, operation_id: UUID, actor: Actor, token: int | None, nonce: str = ""
) -> Attempt:
    """The attempt, once it is durably on disk. Only after this may the call leave.

    `send_within_seconds` counts on the sender's monotonic clock from before this request.
    Raises NotFound, AlreadyMarked, NotClaimable, StaleClaim, ApprovalRequired, Held, Halted; on
    any of them nothing may be sent. An approval that ran out, or a release that no longer holds,
    moves the operation back in the same breath.
    """
    with transaction.atomic(durable=True):
        outcome = _mark(operation_id=operation_id, actor=actor, token=token, nonce=nonce)
    if isinstance(outcome, Refusal):
        raise outcome
    return outcome


def _mark(*, operation_id: UUID, actor: Actor, token: int | None, nonce: str) -> Attempt | Refusal:
    _be_durable_and_heed_halts()
    operation = lock_operation(operation_id)
    _require_executor(operation, actor)
    standing = mark_standing(operation, agent_id=actor.agent_id, token=token)
    now = standing.now
    if token is None or standing.claim_id is None:
        foreign = refuse_foreign_token(operation, actor=actor, at=now, token=token)
        return _not_markable(operation, standing) or foreign
    refusal = (
        _why_not(operation, standing, token=token)
        or _halted(standing)
        or _lease_too_short(operation, at=now)
    )
    if refusal:
        return refusal
    needs_yes = standing.has_request or policy_for(operation) is not None
    approval = valid_approval(operation, now=now) if needs_yes else None
    if isinstance(approval, Refusal):
        ask_for_new_round(operation, actor=actor, at=now)
        return approval
    held = _turn_back_if_blocked(operation, actor, token=token, at=now) or _held(standing)
    if held:
        return held
    return _write(operation, actor, standing, token=token, nonce=nonce, approval=approval)


def _held(standing: MarkStanding) -> Refusal | None:
    if standing.review:
        return Held(expected="no open review", got=f"review {standing.review}")
    if standing.evidence:
        return Held(expected="no unexplained evidence", got=standing.evidence)
    return None


def _turn_back_if_blocked(
    operation: Operation, actor: Actor, *, token: int, at: datetime
) -> Refusal | None:
    """After a release, rule 3 (b) to (d) must still be true at the mark."""
    if operation.generation == 1:
        return None
    profile = profile_of(operation)
    blockers = release_blockers(
        facts_of(operation), profile, at, second_person_agrees=True, at_mark=True
    )
    if not blockers:
        return None
    why = {"blocker": blockers[0].code, "sentence": blockers[0].sentence}
    turn_back(operation, actor=actor, at=at, token=token, detail=why)
    return Held(expected="a release that still holds", got=blockers[0].sentence)


def _be_durable_and_heed_halts() -> None:
    """One round trip: this commit waits for the disk, and no halt slips in before it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('synchronous_commit', 'on', true), pg_advisory_xact_lock_shared(%s)",
            [HALT_LOCK],
        )


def _require_executor(operation: Operation, actor: Actor) -> None:
    if operation.executor == Executor.AGENT:
        if actor.agent_id is None or actor.agent_id != operation.agent_id:
            raise NotFound(what="operation", got=str(operation.pk))
    elif actor.kind != ActorKind.SYSTEM:
        raise NotClaimable(expected="executor agent", got="executor console")


def _not_markable(operation: Operation, standing: MarkStanding) -> Refusal | None:
    if standing.marked_at:
        return AlreadyMarked(generation=operation.generation, since=standing.marked_at)
    if operation.state == State.AWAITING_APPROVAL:
        return ApprovalRequired(expected="an approval in force", got="an open request")
    if operation.state != State.READY:
        return NotClaimable(expected="state ready", got=f"state {operation.state}")
    return None


def _why_not(operation: Operation, standing: MarkStanding, *, token: int) -> Refusal | None:
    refusal = _not_markable(operation, standing)
    if refusal:
        return refusal
    if token != operation.claim_token or operation.claim_given_back:
        return StaleClaim(expected="the current token", got=f"token {token}")
    if operation.claim_purpose != Purpose.DISPATCH:
        return StaleClaim(expected="a claim for dispatch", got=f"one for {operation.claim_purpose}")
    return None


def _lease_too_short(operation: Operation, *, at: datetime) -> Refusal | None:
    if is_held(operation, at + timedelta(seconds=LEAST_SECONDS)):
        return None
    return StaleClaim(
        expected=f"a lease that lasts {LEAST_SECONDS} s more",
        got=f"one that ends at {operation.claim_expires_at:%H:%M:%S}",
    )


def _halted(standing: MarkStanding) -> Refusal | None:
    if standing.halt_id is None:
        return None
    halt = Halt.objects.select_related("halted_by").get(pk=standing.halt_id)
    by = halt.halted_by.username if halt.halted_by else "the system"
    scope = " ".join(filter(None, [halt.environment, halt.receiver])) or "everything"
    return Halted(scope=scope, since=halt.at, by=by, reason=halt.reason)


def _write(
    operation: Operation,
    actor: Actor,
    standing: MarkStanding,
    *,
    token: int,
    nonce: str,
    approval: Approval | None,
) -> Attempt:
    profile = profile_of(operation)
    now = standing.now
    assert operation.claim_expires_at is not None
    assert standing.claim_id is not None
    lease_left = int((operation.claim_expires_at - now).total_seconds())
    send_within = min(profile.send_within_seconds, lease_left)
    deadline = now + timedelta(seconds=send_within)
    apply_event(
        operation,
        Event.MARK,
        actor=actor,
        at=now,
        # The row is locked, so these hold already; the UPDATE says them again.
        only_if={
            "claim_token =": token,
            "claim_given_back =": False,
            "claim_purpose =": str(Purpose.DISPATCH),
            "claim_expires_at >=": deadline,
        },
        changes={"next_try_at": deadline},
        token=token,
        detail={
            "send_within_seconds": send_within,
            "send_deadline_at": deadline.isoformat(),
            "approval": approval.pk if approval else None,
            "request_digest": operation.request_digest,
        },
    )
    attempt = Attempt(
        operation=operation,
        generation=operation.generation,
        claim_id=standing.claim_id,
        token=token,
        marked_at=now,
        send_deadline_at=deadline,
        send_within_seconds=send_within,
        payload_digest=operation.payload_digest,
        request_digest=operation.request_digest,
        idempotency_key=operation.idempotency_key,
        approval=approval,
        sender=f"{actor.kind} {actor.name}",
        nonce=nonce,
    )
    return rows.insert(attempt)
