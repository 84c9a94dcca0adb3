"""The console sends one of its own operations: claim, mark, call once, record (rules 1, 2, 9)."""

import time
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

import structlog

from operations.actions.claim_for_dispatch import claim_for_dispatch
from operations.actions.lend_connection import lend_connection
from operations.actions.mark_attempt import mark_attempt
from operations.actions.patience import patiently
from operations.actions.record_outcome import record_outcome
from operations.actions.stand_back import stall, stand_back
from operations.actors import Actor
from operations.models import Operation
from operations.protocol.profiles import Profile
from operations.protocol.refusals import (
    Halted,
    InvalidPayload,
    Refusal,
    StaleClaim,
    UnknownReceiver,
)
from operations.receivers.base import ConfigMistake, NoAnswer, Outcome, Receiver, Request
from operations.receivers.connectors import connector
from operations.registry import receiver

log = structlog.get_logger()


class Dispatched(StrEnum):
    """How far one run came."""

    NOT_DUE = "not_due"
    STALLED = "stalled"
    HELD_BACK = "held_back"
    CALLED = "called"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    """The stored request, ready to leave, and the token it leaves under."""

    operation_id: UUID
    token: int
    sender: Receiver
    request: Request
    profile: Profile


def dispatch_operation(*, operation_id: UUID, holder: str) -> Dispatched:
    """Send a due operation of executor `console` at most once in its generation.

    Running it twice, late or for a row that is not due does nothing. Whatever goes wrong from the
    mark on, the operation stays `sent_unknown` and is looked up; nothing sets it back.
    """
    actor = Actor.system("dispatcher")
    claim = claim_for_dispatch(operation_id=operation_id, holder=holder, actor=actor)
    if claim is None:
        return Dispatched.NOT_DUE
    try:
        call = _prepare(claim.operation, claim.token)
    except (ConfigMistake, UnknownReceiver, _NoRequest) as mistake:
        why = f"No request: {mistake}"
        stall(operation_id=operation_id, actor=actor, why=why, token=claim.token)
        return Dispatched.STALLED
    return _mark_and_call(call, actor)


def _mark_and_call(call: _Call, actor: Actor) -> Dispatched:
    # The deadline counts from before the request for the mark (rule 9).
    started_at = time.monotonic()
    try:
        attempt = mark_attempt(operation_id=call.operation_id, actor=actor, token=call.token)
    except Refusal as refusal:
        # A halt's sentence holds a person's name and words; the chain takes neither.
        why = refusal.code if isinstance(refusal, Halted) else refusal.detail
        stand_back(operation_id=call.operation_id, actor=actor, token=call.token, why=why)
        return Dispatched.HELD_BACK
    lend_connection()
    outcome = _send(call, deadline_at=started_at + attempt.send_within_seconds)
    try:
        word = patiently(
            lambda: record_outcome(
                attempt=attempt, outcome=outcome, profile=call.profile, actor=actor
            )
        )
    except StaleClaim as stale:
        word = stale.code  # a lookup came first; what we heard is kept as evidence
    log.info("dispatched", operation=str(call.operation_id), token=call.token, outcome=word)
    return Dispatched.CALLED


def _send(call: _Call, *, deadline_at: float) -> Outcome:
    """The one call. Nothing stands between the look at the clock and it."""
    seconds_left = deadline_at - time.monotonic()
    if seconds_left <= 0:
        return NoAnswer(detail="The send deadline was over before the call.", sent=False)
    try:
        return call.sender.send(call.request, deadline_seconds=seconds_left)
    except Exception as error:
        # A mistake of ours while sending or reading: the request may well have arrived.
        log.exception("send failed", operation=str(call.operation_id))
        return NoAnswer(detail=f"{type(error).__name__} while sending: {error}", sent=None)


class _NoRequest(Exception):
    """The stored request can't leave as the receiver is configured now."""


def _prepare(operation: Operation, token: int) -> _Call:
    """Raises UnknownReceiver, ConfigMistake or _NoRequest, each with a sentence."""
    config = receiver(operation.receiver, operation.environment)
    sender = connector(config)
    if sender is None:
        raise _NoRequest(f"receiver {config.name} has no interface any more.")
    rendered = _rendered_now(operation, sender)
    if rendered.url != operation.request_url:
        raise _NoRequest(
            f"expected the address as configured now, {rendered.url}, "
            f"got {operation.request_url} in the stored request."
        )
    request = Request(
        method=operation.request_method,
        url=operation.request_url,
        headers=rendered.headers,
        body=bytes(operation.request_body or b""),
    )
    return _Call(
        operation_id=operation.pk,
        token=token,
        sender=sender,
        request=request,
        profile=config.profile,
    )


def _rendered_now(operation: Operation, sender: Receiver) -> Request:
    try:
        return sender.render(
            key=operation.key,
            idempotency_key=operation.idempotency_key,
            payload_text=operation.payload_text,
            environment=operation.environment,
        )
    except InvalidPayload as unfit:
        # Without what stands there: the chain takes no words of the payload.
        place, expected = unfit.members["field"], unfit.members["expected"]
        raise _NoRequest(f"expected, as configured now, {expected} at payload{place}.") from None
