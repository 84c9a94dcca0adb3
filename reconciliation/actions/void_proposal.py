"""A proposal to apply a statement ends where the totals that it rests on are compared anew."""

from datetime import datetime

from operations.actors import Actor
from operations.audit import RECEIVERS, append_entry
from reconciliation.models import Statement
from reconciliation.protocol.statements.passes import ProposalStatus

VOID = "a newer dry run"


def void_proposal(*, statement: Statement, actor: Actor, at: datetime) -> None:
    """Nobody may say yes to it any more, and another may be proposed; in the caller's transaction.

    One that is overdue is left to end by its time limit. The caller holds the statement's lock.
    """
    standing = statement.proposals.select_for_update().filter(status=ProposalStatus.OPEN)
    proposal = standing.first()
    if proposal is None or proposal.is_overdue(at):
        return
    proposal.status = ProposalStatus.EXPIRED
    proposal.answered_at, proposal.answer_reason = at, VOID
    proposal.save(update_fields=["status", "answered_at", "answer_reason"])
    append_entry(
        about=None,
        stream=RECEIVERS,
        event="void_statement_proposal",
        actor=actor,
        at=at,
        reason="",
        detail={
            "statement": statement.pk,
            "proposal": proposal.pk,
            "proposed_by": proposal.proposed_by_id,
            "rehearsal": proposal.rehearsal_id,
        },
    )
