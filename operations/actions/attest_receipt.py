"""A person enters the receiver's receipt; a second one agrees; then it confirms, as attested."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from operations.actions.apply_event import record_change
from operations.actions.begin_decision import (
    Begun,
    Decided,
    basis,
    begin_decision,
    finish_decision,
    judge,
)
from operations.actions.closed_choice import closed
from operations.actions.confirm_by_people import confirm_by_people
from operations.actions.entered_receipt import Entered, read_entered
from operations.actions.judge_receipt import effect_holder, judge_receipt, with_taken_effect
from operations.actions.keep_receipt import keep_receipt
from operations.actions.open_review import open_review
from operations.actions.people import require_uninvolved
from operations.actions.propose import perform_or_propose
from operations.actions.reasons import require_words
from operations.actions.refused_acts import a_persons_act
from operations.actors import Actor
from operations.models import Receipt
from operations.protocol.payloads import MISSING, parse_json
from operations.protocol.receipts import Judged, Judgement
from operations.protocol.receipts import Receipt as ReceiptValue
from operations.protocol.refusals import ReceiptMismatch, Refusal
from operations.protocol.settlement import Consequence
from operations.protocol.states import (
    Channel,
    ChoiceCode,
    Finding,
    Grade,
    Question,
    ReceiptStatus,
    Verdict,
)
from operations.roles import Ability

ACT = "attest_receipt"


def attest_receipt(
    *,
    operation_id: UUID,
    actor: Actor,
    version: int,
    entered: Entered,
    reason: str,
    insists: bool = False,
    decision_id: str = "",
) -> Decided:
    """A proposal to confirm, or `confirmed` at once where the profile asks for no second person.

    What was typed is judged like any receipt. A mismatch is kept as evidence and raises
    ReceiptMismatch with its differences; with `insists` ("the record really says so") it also
    opens a `receipt_mismatch` review. Pending or refused is kept and raises ChoiceClosed. Raises
    InvalidField, MalformedJSON and what `begin_decision` raises.
    """
    with a_persons_act(ACT, actor=actor, subject=operation_id):
        begun = begin_decision(
            operation_id=operation_id,
            actor=actor,
            act=ACT,
            ability=Ability.SETTLE,
            version=version,
            decision_id=decision_id,
            choice=ChoiceCode.ATTEST,
        )
        outcome = _attest(begun, entered, require_words(reason), insists=insists)
    if isinstance(outcome, Refusal):
        raise outcome
    return outcome


def _attest(begun: Begun, entered: Entered, reason: str, *, insists: bool) -> Decided | Refusal:
    value, raw = read_entered(entered, begun.operation)
    judgement = _judge(begun, value)
    is_match = judgement.verdict is Judged.MATCH
    if begun.is_repeat:
        done = Decided(operation=begun.operation, is_repeat=True)
        return done if is_match else _refusal(value, judgement)
    if not is_match:
        row = _keep(begun, value, raw, judgement, verdict=_VERDICTS[judgement.verdict])
        _record_kept(begun, row, reason)
        if insists and judgement.verdict is Judged.MISMATCH:
            _ask_about(begun, row)
        finish_decision(begun)
        return _refusal(value, judgement)
    needs_second = begun.profile.second_person
    if not needs_second:
        require_uninvolved(begun.operation, begun.user)
    verdict = Verdict.KEPT if needs_second else Verdict.CONFIRMED
    row = _keep(begun, value, raw, judgement, verdict=verdict)
    return perform_or_propose(
        begun,
        choice=ChoiceCode.ATTEST,
        terms={"receipt": row.pk},
        reason=reason,
        sentence=f"Confirm with effect {row.effect_id}, as attested.",
        needs_second=needs_second,
        carry_out=carry_out_attestation,
    )


def carry_out_attestation(begun: Begun, terms: Mapping[str, Any], reason: str) -> None:
    """Confirm with the receipt that was entered, judged once more. Raises ChoiceClosed."""
    begun = judge(begun, choice=ChoiceCode.ATTEST)
    row = Receipt.objects.get(pk=terms["receipt"], operation=begun.operation)
    if _judge(begun, _value_of(row)).verdict is not Judged.MATCH:
        raise closed(
            ChoiceCode.ATTEST,
            "not_proof",
            "the receipt that was entered does not match any more, as its receiver is configured.",
            "Compare it again and enter what the record says.",
        )
    confirm_by_people(
        begun,
        row,
        choice=ChoiceCode.ATTEST,
        finding=Finding.CONFIRMED_ATTESTED,
        grade=Grade.ATTESTED,
        reason=reason,
        detail={"entered_by": row.entered_by_id},
    )


# Without a match nothing is confirmed, whatever the record's own word was.
_VERDICTS = {Judged.MISMATCH: Verdict.MISMATCH, Judged.NOT_PROOF: Verdict.NOT_PROOF}


def _judge(begun: Begun, value: ReceiptValue) -> Judgement:
    judgement = judge_receipt(begun.operation, value, begun.profile)
    if judgement.verdict is Judged.MATCH and effect_holder(begun.operation, value.effect_id):
        return with_taken_effect(judgement, value.effect_id)
    return judgement


def _keep(
    begun: Begun, value: ReceiptValue, raw: bytes, judgement: Judgement, *, verdict: Verdict
) -> Receipt:
    """The row. Whatever speaks of an effect and has confirmed nothing yet needs explaining."""
    speaks = value.status is not ReceiptStatus.REFUSED and verdict is not Verdict.CONFIRMED
    return keep_receipt(
        begun.operation,
        value,
        channel=Channel.PERSON,
        raw=raw,
        actor=begun.actor,
        at=begun.at,
        judgement=judgement,
        follows=Consequence(verdict, needs_explanation=speaks),
    )


def _record_kept(begun: Begun, row: Receipt, reason: str) -> None:
    record_change(
        begun.operation,
        "keep_receipt",
        actor=begun.actor,
        at=begun.at,
        reason=reason,
        detail={
            **basis(begun),
            "receipt": row.pk,
            "channel": row.channel,
            "verdict": row.verdict,
            "effect_id": row.effect_id,
            "differences": [found["pointer"] for found in row.differences],
        },
    )


def _ask_about(begun: Begun, row: Receipt) -> None:
    open_review(
        begun.operation,
        Question.RECEIPT_MISMATCH,
        reason=f"A person read a record that differs, with effect {row.effect_id}.",
        actor=begun.actor,
        at=begun.at,
        receipt=row,
    )


def _refusal(value: ReceiptValue, judgement: Judgement) -> Refusal:
    if judgement.verdict is Judged.NOT_PROOF:
        return closed(
            ChoiceCode.ATTEST,
            "not_proof",
            f"what was entered says {value.status} and leaves out {len(judgement.differences)} "
            "place(s) that are compared; it is kept, and confirms nothing.",
            "Wait for the receiver's final word, or find that it was not executed.",
        )
    found = [row._asdict() for row in judgement.differences]
    return ReceiptMismatch(differences=found, count=len(found))


def _value_of(row: Receipt) -> ReceiptValue:
    """The receipt as it was judged when it was kept."""
    return ReceiptValue(
        operation_key=row.operation_key,
        payload=parse_json(row.payload_text) if row.payload_text else MISSING,
        status=ReceiptStatus(row.status),
        effect_id=row.effect_id or None,
        occurred_at=row.occurred_at,
    )
