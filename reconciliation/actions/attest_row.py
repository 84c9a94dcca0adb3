"""One row of an uploaded statement: a person's word, which confirms as `attested` (section 2).

The decision is that of the person who agreed to the batch, judged for each operation as if they
had attested there: their part in it, its version, its case. What they can't decide is kept.
"""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from operations import clock, hints
from operations.actions.apply_event import lock_operation, record_change
from operations.actions.begin_decision import Begun, begin_decision, finish_decision
from operations.actions.closed_choice import closed
from operations.actions.confirm_by_people import confirm_by_people
from operations.actions.judge_receipt import effect_holder, judge_receipt
from operations.actions.keep_receipt import keep_receipt
from operations.actions.people import require_uninvolved
from operations.actions.record_receipt import record_receipt
from operations.actions.turn_back import turn_back
from operations.actors import Actor
from operations.models import Operation, Receipt
from operations.protocol.receipts import Judged, Judgement
from operations.protocol.refusals import Refusal
from operations.protocol.settlement import Consequence
from operations.protocol.states import (
    OPEN_STATES,
    Channel,
    ChoiceCode,
    Finding,
    Grade,
    State,
    Verdict,
)
from operations.registry import profile_of
from operations.roles import Ability, person
from reconciliation.actions.apply_row import batch_id, became, mark_done
from reconciliation.models import StatementProposal, StatementRun
from reconciliation.protocol.statements.outcomes import Outcome
from reconciliation.queries.weigh_rows import WeighedRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreed:
    """Who uploaded the file, and whose decision its application is."""

    run: StatementRun
    proposal: StatementProposal
    uploader: Actor
    decider: Actor

    @property
    def ability(self) -> Ability:
        """What the decider must still be allowed, at each row."""
        return Ability.SECOND if self.proposal.needs_second else Ability.SETTLE

    @property
    def words(self) -> str:
        """Why it was agreed to."""
        return self.proposal.answer_reason or self.proposal.reason


def agreed(run: StatementRun) -> Agreed:
    """The people of an application."""
    proposal = run.proposal
    people = User.objects.in_bulk([proposal.uploaded_by_id, proposal.decided_by_id])
    return Agreed(
        run=run,
        proposal=proposal,
        uploader=person(people[proposal.uploaded_by_id], request_id=batch_id(run)),
        decider=person(people[proposal.decided_by_id], request_id=batch_id(run)),
    )


def attest_row(*, by: Agreed, one: WeighedRow, version_seen: int | None) -> Outcome:
    """What came of it. `version_seen`: of the operation, in the totals that people agreed to;
    None for a row that was no match then. A row that was done already raises IntegrityError.
    """
    with transaction.atomic(durable=True):
        if one.outcome is not Outcome.CONFIRMS:
            return _keep_as_said(by, one)
        try:
            with transaction.atomic():
                _confirm(by, one, version_seen)
            return Outcome.CONFIRMS
        except Refusal as why:
            return _leave(by, one, why)


def _confirm(by: Agreed, one: WeighedRow, version_seen: int | None) -> None:
    assert one.standing is not None
    if version_seen is None:
        raise closed(
            ChoiceCode.ATTEST,
            "not_rehearsed",
            "this row was no exact match when people agreed to the totals.",
            "Compare it on the operation's page.",
        )
    begun = begin_decision(
        operation_id=one.standing.id,
        actor=by.decider,
        act="apply_statement",
        ability=by.ability,
        version=version_seen,
        decision_id="",
        choice=ChoiceCode.ATTEST,
    )
    require_uninvolved(begun.operation, begun.user)
    row = _receipt(by, one, begun.operation, _match(begun, one), Consequence(Verdict.CONFIRMED))
    confirm_by_people(
        begun,
        row,
        choice=ChoiceCode.ATTEST,
        finding=Finding.CONFIRMED_ATTESTED,
        grade=Grade.ATTESTED,
        reason=by.words,
        detail={
            "statement": by.run.statement_id,
            "row": one.row.number,
            "entered_by": by.proposal.uploaded_by_id,
            "proposed_by": by.proposal.proposed_by_id,
        },
    )
    finish_decision(begun)
    mark_done(by.run, one, Outcome.CONFIRMS, receipt=row)


def _match(begun: Begun, one: WeighedRow) -> Judgement:
    """Judged once more, under the lock. Raises ChoiceClosed."""
    value = one.said
    judgement = judge_receipt(begun.operation, value, begun.profile)
    is_match = judgement.verdict is Judged.MATCH
    if not is_match or effect_holder(begun.operation, value.effect_id):
        raise closed(
            ChoiceCode.ATTEST,
            "not_proof",
            "the row does not match any more.",
            "Compare it on the operation's page.",
        )
    return judgement


def _leave(by: Agreed, one: WeighedRow, why: Refusal) -> Outcome:
    """An exact match that they may not decide: it is kept, and closes a release until explained."""
    assert one.standing is not None
    operation = lock_operation(one.standing.id)
    judgement = judge_receipt(operation, one.said, profile_of(operation))
    if not _would_confirm(operation, judgement, one):
        return _keep_as_said(by, one)
    follows = Consequence(Verdict.KEPT, needs_explanation=True)
    row = _receipt(by, one, operation, judgement, follows)
    said = {"receipt": row.pk, "channel": row.channel, "effect_id": row.effect_id}
    detail = {**said, "statement": by.run.statement_id, "row": one.row.number, "why": why.code}
    at = row.received_at
    if operation.state == State.SENT_UNKNOWN:
        changes = {"next_try_at": at}
        record_change(
            operation, "keep_receipt", actor=by.uploader, at=at, changes=changes, detail=detail
        )
        hints.reconcile_soon(operation.pk)
    else:  # a release of one more send is out of the question (rule 3 c)
        turn_back(operation, actor=by.uploader, at=at, detail=detail)
    mark_done(by.run, one, Outcome.LEFT, receipt=row, detail=why.detail)
    return Outcome.LEFT


def _keep_as_said(by: Agreed, one: WeighedRow) -> Outcome:
    """Evidence that a person brought; whatever it says, it confirms and refuses nothing here."""
    assert one.standing is not None
    operation = lock_operation(one.standing.id)
    judgement = judge_receipt(operation, one.said, profile_of(operation))
    if _would_confirm(operation, judgement, one):
        return _leave(by, one, _came_to_match())
    recorded = record_receipt(
        operation_id=operation.pk,
        value=one.said,
        channel=Channel.PERSON,
        raw=one.row.raw,
        actor=by.uploader,
    )
    outcome = became(recorded, one.standing)
    mark_done(by.run, one, outcome, receipt=recorded.receipt)
    return outcome


def _came_to_match() -> Refusal:
    return closed(
        ChoiceCode.ATTEST,
        "not_rehearsed",
        "this row was no exact match when people agreed to the totals.",
        "Compare it on the operation's page.",
    )


def _would_confirm(operation: Operation, judgement: Judgement, one: WeighedRow) -> bool:
    is_open = operation.state in OPEN_STATES and operation.attempts.exists()
    is_match = judgement.verdict is Judged.MATCH
    return is_open and is_match and not effect_holder(operation, one.said.effect_id)


def _receipt(
    by: Agreed,
    one: WeighedRow,
    operation: Operation,
    judgement: Judgement,
    follows: Consequence,
) -> Receipt:
    return keep_receipt(
        operation,
        one.said,
        channel=Channel.PERSON,
        raw=one.row.raw,
        actor=by.uploader,
        at=clock.now(),
        judgement=judgement,
        follows=follows,
    )
