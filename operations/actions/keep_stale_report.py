"""A report under an older token: evidence that changes nothing by itself (rule 4)."""

from datetime import datetime
from typing import Any

from operations import hints
from operations.actions.apply_event import record_change
from operations.actions.open_review import open_review
from operations.actions.turn_back import turn_back
from operations.actors import Actor
from operations.models import Attempt, AttemptEnd, Operation
from operations.protocol.refusals import StaleClaim
from operations.protocol.states import AttemptOutcome, Question, State
from operations.registry import profile_of


def keep_stale_report(
    operation: Operation,
    attempt: Attempt,
    *,
    outcome: AttemptOutcome,
    detail: str,
    raw: bytes,
    actor: Actor,
    token: int | None,
    at: datetime,
    status: int | None = None,
    code: str = "",
) -> StaleClaim:
    """Keep it, make a lookup due, or ask a person where there is none; the refusal to answer with.

    The evidence closes release and not_executed until someone explains it.
    """
    AttemptEnd.objects.create(
        attempt=attempt,
        outcome=str(outcome),
        detail=detail,
        status=status,
        code=code,
        raw=raw,
        at=at,
        token=attempt.token,
        is_stale=True,
    )
    said = {"outcome": str(outcome), "current_token": operation.claim_token}
    if operation.state in (State.READY, State.AWAITING_APPROVAL):
        # It closes the release that this one waits for (rule 3 c).
        turn_back(operation, actor=actor, at=at, token=token, detail=said)
    else:
        _keep(operation, actor, token, said, at=at)
    is_unknown = operation.state == State.SENT_UNKNOWN
    if profile_of(operation).has_lookup:
        hints.reconcile_soon(operation.pk)
    elif is_unknown:
        open_review(
            operation,
            Question.UNKNOWN_OUTCOME,
            reason="A report came under an older claim, and the receiver can't be looked up.",
            actor=actor,
            at=at,
        )
    return StaleClaim(expected=f"the current token, {operation.claim_token}", got=f"token {token}")


def _keep(
    operation: Operation, actor: Actor, token: int | None, said: dict[str, Any], *, at: datetime
) -> None:
    is_unknown = operation.state == State.SENT_UNKNOWN
    record_change(
        operation,
        "keep_stale_report",
        actor=actor,
        at=at,
        changes={"next_try_at": at} if is_unknown else {},
        token=token,
        detail=said,
    )
