"""A person says yes or no to a request for approval (section 6)."""

from dataclasses import dataclass

from operations import hints
from operations.actions.apply_event import apply_event, record_change
from operations.actions.approval_answers import (
    already_decided,
    lock_approval,
    require_open,
    require_other_person,
    write_answer,
)
from operations.actions.approval_expiry import end_without_yes
from operations.actions.begin_decision import (
    Begun,
    Decided,
    basis,
    begin_decision,
    finish_decision,
    leave_case,
    require_seen_version,
)
from operations.actions.people import person_of
from operations.actions.reasons import require_words
from operations.actions.refused_acts import a_persons_act
from operations.actions.second_proposal import second_proposal
from operations.actors import Actor
from operations.models import Approval
from operations.protocol.refusals import ChoiceClosed, NotFound, NotPermitted, Refusal
from operations.protocol.states import (
    ApprovalStatus,
    ApprovalSubject,
    Cause,
    Executor,
)
from operations.protocol.transitions import Event
from operations.roles import roles_of

ACT = "decide_approval"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    is_yes: bool
    reason: str
    digest_seen: str
    version: int | None
    token: str


def decide_approval(
    *,
    approval_id: int,
    actor: Actor,
    is_yes: bool,
    reason: str,
    digest_seen: str,
    version: int | None = None,
    decision_id: str = "",
) -> Decided:
    """The operation as the answer leaves it: `ready` with the last yes needed, ended by one no.

    `digest_seen` is the payload digest that the person was shown. A rejection is final: without an
    attempt the operation is `cancelled`, cause rejected. A proposal goes to `second_proposal`.
    Raises NotFound, NotPermitted, OwnRequest (both audited), AlreadyDecided also for a request
    that is overdue (which is written down), ChoiceClosed for other bytes, StaleVersion, CaseHeld,
    InvalidField without a reason.
    """
    asked = Approval.objects.filter(pk=approval_id).first()
    if asked is None:
        raise NotFound(what="request for approval", got=str(approval_id))
    if asked.subject == ApprovalSubject.PROPOSAL:
        return second_proposal(
            approval_id=approval_id,
            actor=actor,
            is_yes=is_yes,
            reason=reason,
            version=version,
            decision_id=decision_id,
        )
    answer = _Answer(
        is_yes=is_yes, reason=reason, digest_seen=digest_seen, version=version, token=decision_id
    )
    with a_persons_act(ACT, actor=actor, subject=f"approval {approval_id}"):
        outcome = _decide(asked, actor, answer)
    if isinstance(outcome, Refusal):
        raise outcome
    return outcome


def _decide(asked: Approval, actor: Actor, answer: _Answer) -> Decided | Refusal:
    _require_role(actor, asked.role)
    begun = begin_decision(
        operation_id=asked.operation_id,
        actor=actor,
        act=ACT,
        ability=None,
        version=None,
        decision_id=answer.token,
    )
    if begun.is_repeat:
        return Decided(operation=begun.operation, is_repeat=True)
    approval = lock_approval(asked.pk)
    require_other_person(approval, begun.operation, begun.user)
    if asked.status == ApprovalStatus.OPEN and approval.status == ApprovalStatus.EXPIRED:
        leave_case(begun)  # it was over when this decision began, which is written down
        return already_decided(approval)
    require_open(approval, begun.user)
    require_seen_version(begun.operation, answer.version)
    _require_same_bytes(approval, begun, answer.digest_seen)
    words = require_words(answer.reason)
    write_answer(begun, approval, is_yes=answer.is_yes, reason=words)
    _follow(begun, approval, words)
    finish_decision(begun)
    return Decided(operation=begun.operation)


def _follow(begun: Begun, approval: Approval, reason: str) -> None:
    operation, actor, at = begun.operation, begun.actor, begun.at
    detail = {
        **basis(begun),
        "approval": approval.pk,
        "given": approval.given,
        "needed": approval.needed,
        "payload_digest": approval.payload_digest,
        "request_digest": approval.request_digest,
    }
    if approval.status == ApprovalStatus.REJECTED:
        end_without_yes(operation, Cause.REJECTED, actor=actor, at=at, reason=reason, detail=detail)
    elif approval.status == ApprovalStatus.OPEN:
        record_change(
            operation, "answer_approval", actor=actor, at=at, reason=reason, detail=detail
        )
    else:
        is_ours = operation.executor == Executor.CONSOLE
        detail["valid_until"] = approval.valid_until and approval.valid_until.isoformat()
        apply_event(
            operation,
            Event.APPROVE,
            actor=actor,
            at=at,
            changes={"next_try_at": at if is_ours else None},
            reason=reason,
            detail=detail,
        )
        if is_ours:
            hints.dispatch_soon(operation.pk)


def _require_role(actor: Actor, role: str) -> None:
    """The role comes from the request, as its policy stood when it was opened."""
    held = roles_of(person_of(actor))
    if role not in held:
        raise NotPermitted(expected=role, got=", ".join(sorted(held)) or "no role")


def _require_same_bytes(approval: Approval, begun: Begun, digest_seen: str) -> None:
    operation = begun.operation
    now_bound = (operation.payload_digest, operation.request_digest)
    if (approval.payload_digest, approval.request_digest) != now_bound:
        why = "what would be sent now is not what the request is for."
    elif digest_seen != approval.payload_digest:
        why = (
            f"expected the digest {approval.payload_digest[:12]}… of what would be sent, "
            f"got {digest_seen[:12] or 'none'}."
        )
    else:
        return
    raise ChoiceClosed(
        choice="Answering the request",
        closed_code="digest_differs",
        why=why,
        how="Open the request again and read what would be sent.",
        opens_at=None,
    )
