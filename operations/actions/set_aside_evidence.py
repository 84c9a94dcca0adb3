"""A person explains evidence that no review asks about; it is kept, and closes nothing more."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from operations.actions.apply_event import record_change
from operations.actions.begin_decision import Begun, Decided, basis, begin_decision
from operations.actions.closed_choice import closed
from operations.actions.explain_evidence import (
    explain,
    unexplained_receipts,
    unexplained_reports,
)
from operations.actions.propose import perform_or_propose
from operations.actions.reasons import require_words
from operations.actions.refused_acts import a_persons_act
from operations.actors import Actor
from operations.models import AttemptEnd, Receipt
from operations.protocol.refusals import InvalidField, NotFound
from operations.protocol.states import ChoiceCode, Finding, Question
from operations.roles import Ability

ACT = "set_aside_evidence"
FINDINGS = (Finding.NOT_OURS, Finding.STANDS)
# These two ask for the outcome; the evidence under them may well be set aside first.
_ASK_FOR_OUTCOME = (Question.UNKNOWN_OUTCOME, Question.STALLED)


def set_aside_evidence(
    *,
    operation_id: UUID,
    actor: Actor,
    version: int,
    finding: Finding,
    reason: str,
    receipt_id: int | None = None,
    attempt_end_id: int | None = None,
    decision_id: str = "",
) -> Decided:
    """One receipt, or one report under an older token, explained: not ours, or it changes nothing.

    A proposal where the profile asks for two people. Raises InvalidField, NotFound for evidence
    that is explained already, ChoiceClosed while a review asks about it, and what
    `begin_decision` raises.
    """
    if finding not in FINDINGS:
        raise InvalidField(field="finding", expected=" or ".join(FINDINGS), got=str(finding))
    if (receipt_id is None) == (attempt_end_id is None):
        raise InvalidField(field="evidence", expected="one receipt or one report", got="not one")
    with a_persons_act(ACT, actor=actor, subject=operation_id):
        begun = begin_decision(
            operation_id=operation_id,
            actor=actor,
            act=ACT,
            ability=Ability.SETTLE,
            version=version,
            decision_id=decision_id,
            choice=ChoiceCode.SET_ASIDE,
        )
        if begun.is_repeat:
            return Decided(operation=begun.operation, is_repeat=True)
        terms = {
            "receipt": receipt_id,
            "attempt_end": attempt_end_id,
            "finding": str(finding),
        }
        evidence = _evidence(begun, terms)
        return perform_or_propose(
            begun,
            choice=ChoiceCode.SET_ASIDE,
            terms=terms,
            reason=require_words(reason),
            sentence=f"Set aside: {evidence}.",
            needs_second=begun.profile.second_person,
            carry_out=carry_out_setting_aside,
        )


def carry_out_setting_aside(begun: Begun, terms: Mapping[str, Any], reason: str) -> None:
    """Write the explanation; a new version tells everybody that a choice may have opened."""
    evidence = _evidence(begun, terms)
    explain(evidence, begun=begun, finding=Finding(terms["finding"]), reason=reason)
    record_change(
        begun.operation,
        "set_aside",
        actor=begun.actor,
        at=begun.at,
        reason=reason,
        detail={**basis(begun), **terms},
    )


def _evidence(begun: Begun, terms: Mapping[str, Any]) -> Receipt | AttemptEnd:
    operation = begun.operation
    receipt_id = terms["receipt"]
    if receipt_id is None:
        report = unexplained_reports(operation).filter(pk=terms["attempt_end"]).first()
        if report is None:
            raise NotFound(what="unexplained report", got=str(terms["attempt_end"]))
        return report
    receipt = unexplained_receipts(operation).filter(pk=receipt_id).first()
    if receipt is None:
        raise NotFound(what="unexplained receipt", got=str(receipt_id))
    asking = operation.reviews.filter(closed_at=None, receipt=receipt)
    review = asking.exclude(question__in=_ASK_FOR_OUTCOME).first()
    if review is not None:
        raise closed(
            ChoiceCode.SET_ASIDE,
            "review_open",
            f"the review {review.question} asks about this very receipt.",
            "Settle that review; it explains the receipt.",
        )
    return receipt
