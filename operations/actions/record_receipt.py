"""A receipt arrives, by whatever road: it is kept, judged, and what follows is done (rule 4)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from operations import hints
from operations.actions.apply_event import apply_event, lock_operation, record_change
from operations.actions.approval_expiry import expire_overdue_request
from operations.actions.hold_successors import hold_successors
from operations.actions.keep_receipt import keep_receipt
from operations.actions.open_review import open_review
from operations.actions.sender_reports import finish_attempt, token_standing
from operations.actions.settle import close_what_settling_answers
from operations.actions.turn_back import turn_back
from operations.actions.weigh_receipt import confirmation, corroborates, said_of, weigh_receipt
from operations.actors import Actor
from operations.models import Explanation, Operation, Receipt
from operations.protocol.profiles import Profile
from operations.protocol.receipts import Receipt as ReceiptValue
from operations.protocol.refusals import ReceiptMismatch, Refusal, StaleClaim
from operations.protocol.settlement import OWN_AUTHORITY, Consequence
from operations.protocol.states import AttemptOutcome, Channel, Grade, Question, State, Verdict
from operations.protocol.transitions import Event
from operations.queries.standing import ReportStanding, report_standing
from operations.registry import profile_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What became of a report. `refusal` is the answer for its sender, when it was refused."""

    operation: Operation
    receipt: Receipt | None
    verdict: Verdict
    differences: tuple[dict[str, Any], ...] = ()
    refusal: Refusal | None = None


def record_receipt(
    *,
    operation_id: UUID,
    value: ReceiptValue,
    channel: Channel,
    raw: bytes,
    actor: Actor,
    token: int | None = None,
) -> Recorded:
    """Keep the receipt, then confirm, refuse, or open a review, as `consequence` says.

    A response needs its sender's token: a foreign one raises StaleClaim (audited, not kept), an
    older one is kept as evidence and comes back as `refusal`, as does a mismatch. Lookups,
    webhooks and statements count on their own authority. Raises NotFound.
    """
    try:
        with transaction.atomic():
            recorded = _record(operation_id, value, channel, raw, actor, token)
    except IntegrityError:
        # Another operation took this effect id between our look and our write; look again.
        with transaction.atomic():
            recorded = _record(operation_id, value, channel, raw, actor, token)
    if isinstance(recorded, Refusal):
        raise recorded
    return recorded


def _record(
    operation_id: UUID,
    value: ReceiptValue,
    channel: Channel,
    raw: bytes,
    actor: Actor,
    token: int | None,
) -> Recorded | Refusal:
    operation = lock_operation(operation_id)
    expire_overdue_request(operation)
    standing = report_standing(
        operation, agent_id=actor.agent_id, token=token, effect_id=value.effect_id
    )
    now = standing.now
    is_stale = False
    if channel == Channel.RESPONSE:
        may_report = token_standing(operation, standing, actor=actor, token=token)
        if isinstance(may_report, Refusal):
            return may_report
        is_stale = not may_report
    profile = profile_of(operation)
    judgement, follows = weigh_receipt(
        operation,
        value,
        profile,
        channel=channel,
        attempt_count=standing.attempt_count,
        is_effect_taken=standing.is_effect_taken,
        is_stale=is_stale,
    )
    row = keep_receipt(
        operation,
        value,
        channel=channel,
        raw=raw,
        actor=actor,
        at=now,
        judgement=judgement,
        follows=follows,
        token=token,
        is_stale=is_stale,
    )
    _carry_out(operation, row, follows, standing, profile=profile, channel=channel, actor=actor)
    if channel == Channel.RESPONSE and not is_stale:
        finish_attempt(operation, standing, outcome=AttemptOutcome.RECEIPT, token=token)
    return Recorded(
        operation=operation,
        receipt=row,
        verdict=follows.verdict,
        differences=tuple(row.differences),
        refusal=_answer(operation, row, follows, is_stale=is_stale),
    )


def _carry_out(
    operation: Operation,
    row: Receipt,
    follows: Consequence,
    standing: ReportStanding,
    *,
    profile: Profile,
    channel: Channel,
    actor: Actor,
) -> None:
    at = standing.now
    is_new = row.received_at == at
    # The very same record, found again after people said what it is, asks nothing anew.
    is_explained = not is_new and Explanation.objects.filter(receipt=row).exists()
    said = said_of(row)
    if follows.event:
        changes = confirmation(row, profile, channel=channel, actor=actor, at=at)
        if follows.event != Event.CONFIRM:
            changes = {"next_try_at": None}
        apply_event(
            operation,
            follows.event,
            actor=actor,
            at=at,
            changes=changes,
            token=row.token,
            detail=said,
        )
        if follows.event == Event.REFUSE or standing.has_open_review or standing.has_open_request:
            close_what_settling_answers(operation, actor=actor, at=at)
    elif follows.verdict == Verdict.ALREADY_CONFIRMED:
        _corroborate(operation, row, channel=channel, actor=actor, at=at, detail=said)
    elif _ends_the_release(operation, row, follows):
        turn_back(operation, actor=actor, at=at, token=row.token, detail=said)
    else:
        asks_soon = operation.state == State.SENT_UNKNOWN and channel not in OWN_AUTHORITY
        record_change(
            operation,
            "keep_receipt",
            actor=actor,
            at=at,
            changes={"next_try_at": at} if asks_soon else {},
            bumps_version=is_new,
            token=row.token,
            detail=said,
        )
        if asks_soon:
            hints.reconcile_soon(operation.pk)
    question = None if is_explained else follows.question
    _ask(operation, row, question, profile=profile, actor=actor, at=at)


def _ends_the_release(operation: Operation, row: Receipt, follows: Consequence) -> bool:
    """A word of an effect that no review asks about: only the receiver can say what it means.

    One more send is out of the question (rule 3 c), so the outcome is unknown again, and looked up.
    """
    is_released = operation.state in (State.READY, State.AWAITING_APPROVAL)
    return is_released and row.needs_explanation and follows.question is None


def _ask(
    operation: Operation,
    row: Receipt,
    question: Question | None,
    *,
    profile: Profile,
    actor: Actor,
    at: datetime,
) -> None:
    if row.is_stale and not profile.has_lookup and operation.state == State.SENT_UNKNOWN:
        question = Question.UNKNOWN_OUTCOME  # nobody but a person can ask there (rule 4)
    if question:
        reason = _why(operation, row, question)
        open_review(operation, question, reason=reason, actor=actor, at=at, receipt=row)
    if question == Question.LATE_RECEIPT:
        hold_successors(operation, row, actor=actor, at=at)


def _corroborate(
    operation: Operation,
    row: Receipt,
    *,
    channel: Channel,
    actor: Actor,
    at: datetime,
    detail: dict[str, Any],
) -> None:
    """The receiver itself names the effect: a reported one becomes `receipt`, and an attested one
    where all of it is said. Else it is kept."""
    if corroborates(operation, row, channel):
        changes = {"grade": str(Grade.RECEIPT), "next_try_at": None}
        record_change(operation, "corroborate", actor=actor, at=at, changes=changes, detail=detail)
    elif row.received_at == at:
        record_change(operation, "keep_receipt", actor=actor, at=at, token=row.token, detail=detail)


def _why(operation: Operation, row: Receipt, question: Question) -> str:
    if row.is_stale and question == Question.UNKNOWN_OUTCOME:
        return "A report came under an older claim, and the receiver can't be looked up."
    about = f"A {row.channel} receipt says {row.status}"
    effect = f" with effect {row.effect_id}" if row.effect_id else ""
    against = {
        Question.DUPLICATE_EFFECT: f"; {operation.effect_id} confirmed it before",
        Question.LATE_RECEIPT: f"; the operation is {operation.state.replace('_', ' ')}",
        Question.CONTRADICTION: f"; the operation is {operation.state.replace('_', ' ')}",
    }.get(question, "")
    pointers = ", ".join(d["pointer"] or "the payload" for d in row.differences[:3])
    return f"{about}{effect}{against}" + (f"; it differs at {pointers}." if pointers else ".")


def _answer(
    operation: Operation, row: Receipt, follows: Consequence, *, is_stale: bool
) -> Refusal | None:
    if is_stale and follows.verdict != Verdict.ALREADY_CONFIRMED:
        return StaleClaim(
            expected=f"the current token, {operation.claim_token}", got=f"token {row.token}"
        )
    if follows.verdict == Verdict.MISMATCH:
        return ReceiptMismatch(differences=row.differences, count=len(row.differences))
    return None
