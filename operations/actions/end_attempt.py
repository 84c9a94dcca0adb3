"""A sender says that its attempt is over without a receipt: unknown, or not sent."""

from uuid import UUID

from django.db import transaction

from operations import hints
from operations.actions.apply_event import lock_operation, record_change
from operations.actions.approval_expiry import expire_overdue_request
from operations.actions.keep_stale_report import keep_stale_report
from operations.actions.sender_reports import attempt_under, finish_attempt, token_standing
from operations.actors import Actor
from operations.models import Operation
from operations.protocol.refusals import InvalidField, NotFound, Refusal
from operations.protocol.states import AttemptOutcome, State
from operations.queries.standing import report_standing

ENDINGS = (AttemptOutcome.UNKNOWN, AttemptOutcome.NOT_SENT)


def end_attempt(
    *,
    operation_id: UUID,
    actor: Actor,
    token: int | None,
    generation: int,
    outcome: str,
    detail: str,
    raw: bytes = b"",
) -> Operation:
    """Evidence: it closes the attempt and ends the claim; the state stays as it is.

    Raises NotFound, InvalidField, StaleClaim (an older token's word is kept all the same).
    """
    if outcome not in ENDINGS:
        raise InvalidField(field="outcome", expected="unknown or not_sent", got=outcome)
    with transaction.atomic():
        ended = _end(operation_id, actor, token, generation, AttemptOutcome(outcome), detail, raw)
    if isinstance(ended, Refusal):
        raise ended
    return ended


def _end(
    operation_id: UUID,
    actor: Actor,
    token: int | None,
    generation: int,
    outcome: AttemptOutcome,
    detail: str,
    raw: bytes,
) -> Operation | Refusal:
    operation = lock_operation(operation_id)
    expire_overdue_request(operation)
    standing = report_standing(operation, agent_id=actor.agent_id, token=token, effect_id=None)
    now = standing.now
    may_report = token_standing(operation, standing, actor=actor, token=token)
    if isinstance(may_report, Refusal):
        return may_report
    attempt = attempt_under(operation, token)
    if attempt is None or attempt.generation != generation:
        return NotFound(what="attempt under this token of generation", got=str(generation))
    if not may_report:
        return keep_stale_report(
            operation,
            attempt,
            outcome=outcome,
            detail=detail,
            raw=raw,
            actor=actor,
            token=token,
            at=now,
        )
    end = finish_attempt(operation, standing, outcome=outcome, token=token, detail=detail, raw=raw)
    if end is None:
        return operation  # said before; the first end counts
    record_change(
        operation,
        "end_attempt",
        actor=actor,
        at=now,
        bumps_version=False,
        token=token,
        reason=detail,
        detail={"generation": generation, "outcome": str(outcome)},
    )
    if operation.state == State.SENT_UNKNOWN:
        hints.reconcile_soon(operation.pk)
    return operation
