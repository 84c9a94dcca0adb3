"""A person proposes to apply an uploaded statement; where one is enough, it is applied at once."""

from datetime import datetime, timedelta

from operations import clock, registry
from operations.actions.decision_tokens import is_repeat, remember
from operations.actions.people import person_of
from operations.actions.reasons import require_words
from operations.actions.refused_acts import a_persons_act
from operations.actors import Actor
from operations.audit import RECEIVERS, append_entry
from operations.protocol.refusals import NotFound
from operations.roles import Ability, require
from reconciliation.actions.apply_statement import (
    apply_statement,
    require_newest,
    require_not_applied,
    require_rehearsed,
)
from reconciliation.actions.statement_lock import lock_statement
from reconciliation.models import Statement, StatementProposal, StatementRun
from reconciliation.protocol.refusals import StatementProposed
from reconciliation.protocol.statements.outcomes import Road
from reconciliation.protocol.statements.passes import ProposalStatus
from reconciliation.queries.statement_profiles import statement_profile

ACT = "propose_statement"
PROPOSAL_SECONDS = 30 * 60


def propose_statement(
    *, statement_id: int, rehearsal_id: int, actor: Actor, reason: str, decision_id: str = ""
) -> StatementProposal:
    """The proposal, bound to the dry run whose totals were read; it lives 30 minutes.

    Granted at once where the receiver's profile asks for no second person. Raises NotPermitted,
    NotFound, NotRehearsed, AppliedBefore, StatementProposed, InvalidField.
    """
    with a_persons_act(ACT, actor=actor, subject=f"statement {statement_id}"):
        user = person_of(actor)
        require(user, Ability.SETTLE)
        statement = _locked(statement_id)
        if is_repeat(decision_id, act=ACT, user=user, operation=None):
            return statement.proposals.filter(proposed_by=user).latest("pk")
        words = require_words(reason, expected="why it is to be applied")
        rehearsal = _rehearsal(statement, rehearsal_id)
        at = clock.now()
        _require_no_other(statement, at)
        config = registry.receiver(statement.receiver, statement.environment)
        proposal = StatementProposal(
            statement=statement,
            rehearsal=rehearsal,
            uploaded_by=statement.uploaded_by,
            proposed_by=user,
            proposed_at=at,
            expires_at=at + timedelta(seconds=PROPOSAL_SECONDS),
            reason=words,
            needs_second=config.profile.second_person,
        )
        if not proposal.needs_second:
            profile = statement_profile(statement.profile, statement.receiver)
            proposal.run = apply_statement(
                rehearsal=rehearsal, profile=profile, actor=actor, reason=words
            )
            proposal.status = ProposalStatus.GRANTED
        proposal.save(force_insert=True)
        _tell(proposal, actor=actor, at=at)
        remember(decision_id, act=ACT, user=user, operation=None, at=at)
        return proposal


def _locked(statement_id: int) -> Statement:
    """The statement that a person uploaded; one at a time proposes for it. Raises NotFound."""
    lock_statement(statement_id)
    found = Statement.objects.filter(pk=statement_id, road=Road.PERSON).first()
    if found is None or found.uploaded_by_id is None:
        raise NotFound(what="uploaded statement", got=str(statement_id))
    return found


def _rehearsal(statement: Statement, rehearsal_id: int) -> StatementRun:
    """The dry run that was read, if it is the newest. Raises NotRehearsed, AppliedBefore."""
    require_not_applied(statement)
    newest = require_newest(statement, rehearsal_id)
    require_rehearsed(newest, statement_profile(statement.profile, statement.receiver))
    return newest


def _require_no_other(statement: Statement, at: datetime) -> None:
    """One that is overdue is written down as that. Raises StatementProposed."""
    standing = statement.proposals.filter(status=ProposalStatus.OPEN)
    other = standing.select_related("proposed_by").first()
    if other is None:
        return
    if not other.is_overdue(at):
        raise StatementProposed(by=other.proposed_by.username, until=other.expires_at)
    standing.update(status=ProposalStatus.EXPIRED, answered_at=at)


def _tell(proposal: StatementProposal, *, actor: Actor, at: datetime) -> None:
    append_entry(
        about=None,
        stream=RECEIVERS,
        event=ACT,
        actor=actor,
        at=at,
        reason=proposal.reason,
        detail={
            "statement": proposal.statement_id,
            "proposal": proposal.pk,
            "rehearsal": proposal.rehearsal_id,
            "counts": proposal.rehearsal.counts,
            "needs_second": proposal.needs_second,
            "configuration": registry.configuration().digest,
        },
    )
