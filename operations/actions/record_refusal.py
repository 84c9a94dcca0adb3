"""A sender reports the receiver's refusal; the server judges whether it is definite (rule 6)."""

from uuid import UUID

from django.db import transaction

from operations import hints
from operations.actions.apply_event import apply_event, lock_operation, record_change
from operations.actions.approval_expiry import expire_overdue_request
from operations.actions.keep_stale_report import keep_stale_report
from operations.actions.open_review import open_review
from operations.actions.record_receipt import Recorded
from operations.actions.sender_reports import attempt_under, finish_attempt, token_standing
from operations.actions.settle import close_what_settling_answers
from operations.actors import Actor
from operations.protocol.profiles import is_definite_refusal
from operations.protocol.refusals import NotClaimable, Refusal
from operations.protocol.states import AttemptOutcome, Question, State, Verdict
from operations.protocol.transitions import Event
from operations.queries.standing import report_standing
from operations.registry import profile_of

DUPLICATE_CODES = frozenset({"duplicate", "duplicate_order", "idempotency_conflict"})


def record_refusal(
    *,
    operation_id: UUID,
    actor: Actor,
    token: int | None,
    status: int | None,
    code: str,
    raw: bytes,
) -> Recorded:
    """`refused` when the profile lists the answer and it is the only attempt; else evidence.

    "Duplicate" is never a refusal: it opens a `duplicate_answer` review. An older token's report
    is kept and comes back as `refusal`. Raises NotFound, StaleClaim, NotClaimable without attempt.
    """
    with transaction.atomic():
        recorded = _record(operation_id, actor, token, status, code, raw)
    if isinstance(recorded, Refusal):
        raise recorded
    return recorded


def _record(
    operation_id: UUID,
    actor: Actor,
    token: int | None,
    status: int | None,
    code: str,
    raw: bytes,
) -> Recorded | Refusal:
    operation = lock_operation(operation_id)
    expire_overdue_request(operation)
    standing = report_standing(operation, agent_id=actor.agent_id, token=token, effect_id=None)
    now = standing.now
    may_report = token_standing(operation, standing, actor=actor, token=token)
    if isinstance(may_report, Refusal):
        return may_report
    attempt = attempt_under(operation, token)
    if attempt is None:
        return NotClaimable(expected="an attempt under this token", got="none")
    report = f"refusal {status or ''} {code}".strip()
    if not may_report:
        refusal = keep_stale_report(
            operation,
            attempt,
            outcome=AttemptOutcome.REFUSED,
            detail=report,
            raw=raw,
            actor=actor,
            token=token,
            at=now,
            status=status,
            code=code,
        )
        return Recorded(operation=operation, receipt=None, verdict=Verdict.KEPT, refusal=refusal)
    profile = profile_of(operation)
    is_duplicate = code in DUPLICATE_CODES
    is_definite = (
        operation.state == State.SENT_UNKNOWN
        and not is_duplicate
        and is_definite_refusal(profile, status=status, code=code or None)
        and standing.attempt_count == 1
    )
    finish_attempt(
        operation,
        standing,
        outcome=AttemptOutcome.REFUSED,
        token=token,
        detail=report,
        raw=raw,
        status=status,
        code=code,
    )
    detail = {"status": status, "code": code, "is_definite": is_definite}
    if is_definite:
        apply_event(
            operation,
            Event.REFUSE,
            actor=actor,
            at=now,
            changes={"next_try_at": None},
            token=token,
            detail=detail,
        )
        close_what_settling_answers(operation, actor=actor, at=now)
        return Recorded(operation=operation, receipt=None, verdict=Verdict.KEPT)
    record_change(
        operation,
        "keep_refusal",
        actor=actor,
        at=now,
        changes={"next_try_at": now} if operation.state == State.SENT_UNKNOWN else {},
        token=token,
        detail=detail,
    )
    if is_duplicate:
        open_review(
            operation,
            Question.DUPLICATE_ANSWER,
            reason=f"The receiver answered {report}: it may have done this before.",
            actor=actor,
            at=now,
        )
    hints.reconcile_soon(operation.pk)
    return Recorded(operation=operation, receipt=None, verdict=Verdict.KEPT)
