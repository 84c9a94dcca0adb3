"""Another person answers a proposal to apply an uploaded statement; a yes applies it."""

from operations import clock
from operations.actions.decision_tokens import is_repeat, remember
from operations.actions.people import person_of
from operations.actions.reasons import require_words
from operations.actions.refused_acts import a_persons_act
from operations.actors import Actor
from operations.audit import RECEIVERS, append_entry
from operations.protocol.refusals import AlreadyDecided, NotFound, OwnRequest
from operations.roles import Ability, require
from reconciliation.actions.apply_statement import apply_statement, require_newest
from reconciliation.models import StatementProposal
from reconciliation.protocol.statements.passes import ProposalStatus
from reconciliation.queries.statement_profiles import statement_profile

ACT = "second_statement"


def second_statement(
    *, proposal_id: int, actor: Actor, is_yes: bool, reason: str, decision_id: str = ""
) -> StatementProposal:
    """The proposal with its answer. With a yes the application waits for a worker.

    Raises NotFound, NotPermitted and OwnRequest (audited) for proposer and uploader,
    AlreadyDecided also for one that is overdue, NotRehearsed, AppliedBefore, InvalidField.
    """
    with a_persons_act(ACT, actor=actor, subject=f"proposal {proposal_id} of a statement"):
        user = person_of(actor)
        require(user, Ability.SECOND)
        locked = StatementProposal.objects.select_for_update(of=("self",))
        proposal = locked.select_related("statement", "rehearsal").filter(pk=proposal_id).first()
        if proposal is None:
            raise NotFound(what="proposal of a statement", got=str(proposal_id))
        if is_repeat(decision_id, act=ACT, user=user, operation=None):
            return proposal
        for part, person_id in _parts(proposal).items():
            if person_id == user.pk:
                raise OwnRequest(got=part)
        at = clock.now()
        if proposal.status != ProposalStatus.OPEN or proposal.is_overdue(at):
            raise _decided(proposal)
        words = require_words(reason)
        proposal.status = str(ProposalStatus.GRANTED if is_yes else ProposalStatus.REJECTED)
        proposal.answered_by, proposal.answered_at, proposal.answer_reason = user, at, words
        if is_yes:
            statement = proposal.statement
            require_newest(statement, proposal.rehearsal_id)
            profile = statement_profile(statement.profile, statement.receiver)
            proposal.run = apply_statement(
                rehearsal=proposal.rehearsal, profile=profile, actor=actor, reason=words
            )
        proposal.save(
            update_fields=["status", "answered_by", "answered_at", "answer_reason", "run"]
        )
        append_entry(
            about=None,
            stream=RECEIVERS,
            event=ACT if is_yes else "reject_statement",
            actor=actor,
            at=at,
            reason=words,
            detail={
                "statement": proposal.statement_id,
                "proposal": proposal.pk,
                "proposed_by": proposal.proposed_by_id,
            },
        )
        remember(decision_id, act=ACT, user=user, operation=None, at=at)
        return proposal


def _parts(proposal: StatementProposal) -> dict[str, int]:
    return {"the proposer": proposal.proposed_by_id, "the uploader": proposal.uploaded_by_id}


def _decided(proposal: StatementProposal) -> AlreadyDecided:
    if proposal.answered_by is not None:
        by, since = proposal.answered_by.username, proposal.answered_at
    elif proposal.answer_reason:
        by, since = proposal.answer_reason, proposal.answered_at
    else:
        by, since = "its time limit", proposal.expires_at
    is_open = proposal.status == ProposalStatus.OPEN
    status = ProposalStatus.EXPIRED if is_open else ProposalStatus(proposal.status)
    return AlreadyDecided(status=str(status), by=by, since=since)
