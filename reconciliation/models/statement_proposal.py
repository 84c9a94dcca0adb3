"""A person proposes to apply a statement that a person uploaded; another one agrees or not."""

from datetime import datetime

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import F, Q

from operations.models.columns import keep_rows, knows_word, word
from reconciliation.models.statement import Statement
from reconciliation.models.statement_run import StatementRun
from reconciliation.protocol.statements.passes import ProposalStatus


class StatementProposal(models.Model):
    """Bound to one dry run, whose totals both people saw. `run` is the application it led to.

    Where the receiver's profile asks for no second person, `needs_second` is off and it is granted
    by its proposer. `uploaded_by` repeats the statement's, for the rule about people.
    """

    statement = models.ForeignKey(Statement, on_delete=models.PROTECT, related_name="proposals")
    rehearsal = models.ForeignKey(StatementRun, on_delete=models.PROTECT, related_name="+")
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    proposed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    proposed_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    reason = models.TextField()
    needs_second = models.BooleanField()
    status = word(ProposalStatus, default=ProposalStatus.OPEN)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    answered_at = models.DateTimeField(null=True)
    answer_reason = models.TextField(blank=True, default="")
    run = models.OneToOneField(
        StatementRun, null=True, on_delete=models.PROTECT, related_name="proposal"
    )

    class Meta:
        constraints = [
            knows_word("status", ProposalStatus),
            models.UniqueConstraint(
                fields=["statement"],
                condition=Q(status=ProposalStatus.OPEN),
                name="one_open_proposal_per_statement",
            ),
            models.CheckConstraint(
                name="another_person_answers_for_a_statement",
                condition=Q(answered_by=None)
                | ~Q(answered_by=F("proposed_by")) & ~Q(answered_by=F("uploaded_by")),
            ),
            models.CheckConstraint(
                name="a_statement_is_applied_on_a_yes",
                condition=Q(run=None) & ~Q(status=ProposalStatus.GRANTED)
                | Q(run__isnull=False, status=ProposalStatus.GRANTED)
                & (Q(needs_second=False) | Q(answered_by__isnull=False)),
            ),
        ]
        triggers = [
            keep_rows(),
            pgtrigger.Protect(
                name="an_answered_proposal_stays",
                operation=pgtrigger.Update,
                condition=~pgtrigger.Q(old__status=ProposalStatus.OPEN),
            ),
            pgtrigger.Trigger(
                name="a_proposal_lives_its_time",
                when=pgtrigger.Before,
                operation=pgtrigger.Update,
                condition=pgtrigger.Condition("NEW.status = 'granted' AND NEW.needs_second"),
                func="""
                    IF NEW.answered_at IS NULL OR NEW.answered_at >= NEW.expires_at
                        OR NEW.answered_at > clock_timestamp() THEN
                        RAISE EXCEPTION 'a proposal takes an answer within its time'
                            USING ERRCODE = 'check_violation';
                    END IF;
                    RETURN NEW;
                """,
            ),
        ]

    def __str__(self) -> str:
        return f"proposal to apply statement {self.statement_id}: {self.status}"

    def is_overdue(self, now: datetime) -> bool:
        """Whether it takes no answer any more, though nobody wrote that down yet."""
        return self.status == ProposalStatus.OPEN and self.expires_at <= now

    @property
    def is_void(self) -> bool:
        """Whether something else than its time limit ended it, and no person."""
        return self.status == ProposalStatus.EXPIRED and self.answer_reason != ""

    @property
    def decided_by_id(self) -> int:
        """Whose decision the application is: the second person's, or the only one's."""
        return self.answered_by_id if self.answered_by_id is not None else self.proposed_by_id
