"""A second person answers a proposal; a yes carries the choice out, judged again (section 6)."""

from dataclasses import dataclass

from operations.actions.apply_event import record_change
from operations.actions.approval_answers import (
    already_decided,
    lock_approval,
    require_open,
    require_other_person,
    write_answer,
)
from operations.actions.attest_receipt import carry_out_attestation
from operations.actions.begin_decision import (
    Begun,
    Decided,
    basis,
    begin_decision,
    finish_decision,
    leave_case,
    require_seen_version,
)
from operations.actions.find_not_executed import carry_out_finding
from operations.actions.propose import CarryOut
from operations.actions.reasons import require_words
from operations.actions.refused_acts import a_persons_act
from operations.actions.release_operation import carry_out_release
from operations.actions.set_aside_evidence import carry_out_setting_aside
from operations.actions.settle_review import carry_out_settling
from operations.actors import Actor
from operations.models import Approval
from operations.protocol.refusals import NotFound, ProposalVoid, Refusal
from operations.protocol.states import ApprovalStatus, ApprovalSubject, ChoiceCode
from operations.roles import Ability

ACT = "second_proposal"

CARRY_OUT: dict[ChoiceCode, CarryOut] = {
    ChoiceCode.ATTEST: carry_out_attestation,
    ChoiceCode.NOT_EXECUTED: carry_out_finding,
    ChoiceCode.RELEASE: carry_out_release,
    ChoiceCode.SET_ASIDE: carry_out_setting_aside,
    ChoiceCode.SETTLE_REVIEW: carry_out_settling,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    is_yes: bool
    reason: str
    version: int | None
    token: str


def second_proposal(
    *,
    approval_id: int,
    actor: Actor,
    is_yes: bool,
    reason: str,
    version: int | None = None,
    decision_id: str = "",
) -> Decided:
    """The operation after the choice was carried out under one lock, or after a no.

    Raises NotFound, NotPermitted and OwnRequest (audited), AlreadyDecided also for a proposal
    that is overdue (which is written down), ProposalVoid after any new version, CaseHeld, and
    whatever closes the choice now (ChoiceClosed): the proposal then stays open.
    """
    asked = Approval.objects.filter(pk=approval_id, subject=ApprovalSubject.PROPOSAL).first()
    if asked is None:
        raise NotFound(what="proposal", got=str(approval_id))
    answer = _Answer(is_yes=is_yes, reason=reason, version=version, token=decision_id)
    with a_persons_act(ACT, actor=actor, subject=f"proposal {approval_id}"):
        outcome = _second(asked, actor, answer)
    if isinstance(outcome, Refusal):
        raise outcome
    return outcome


def _second(asked: Approval, actor: Actor, answer: _Answer) -> Decided | Refusal:
    begun = begin_decision(
        operation_id=asked.operation_id,
        actor=actor,
        act=ACT,
        ability=Ability.SECOND,
        version=None,
        decision_id=answer.token,
        proposal=asked,
    )
    if begun.is_repeat:
        return Decided(operation=begun.operation, is_repeat=True)
    proposal = lock_approval(asked.pk)
    require_other_person(proposal, begun.operation, begun.user)
    _require_in_force(proposal, begun)
    if proposal.status == ApprovalStatus.EXPIRED:
        leave_case(begun)
        return already_decided(proposal)
    require_seen_version(begun.operation, answer.version)
    words = require_words(answer.reason)
    write_answer(begun, proposal, is_yes=answer.is_yes, reason=words)
    if answer.is_yes:
        terms = proposal.proposal["terms"]
        CARRY_OUT[ChoiceCode(proposal.choice)](begun, terms, words)
    else:
        detail = {**basis(begun), "choice": proposal.choice}
        record_change(
            begun.operation,
            "reject_proposal",
            actor=actor,
            at=begun.at,
            reason=words,
            detail=detail,
        )
    finish_decision(begun)
    return Decided(operation=begun.operation)


def _require_in_force(proposal: Approval, begun: Begun) -> None:
    """Open and made on the present version. One that is overdue stays for the caller to tell."""
    if proposal.status == ApprovalStatus.VOIDED:
        raise ProposalVoid(expected=proposal.version_seen, got=begun.operation.version)
    if proposal.status != ApprovalStatus.EXPIRED:
        require_open(proposal, begun.user)
        # The database voids outdated proposals by itself; this says the rule where it is applied.
        if proposal.version_seen != begun.operation.version:
            raise ProposalVoid(expected=proposal.version_seen, got=begun.operation.version)
