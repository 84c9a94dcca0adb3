"""A pass over a statement's file, what each row came to, and what was written for it."""

import pgtrigger
from django.db import models
from django.db.models import Q

from operations.models.columns import append_only, keep_rows, knows_word, word
from reconciliation.models.statement import Statement
from reconciliation.protocol.statements.outcomes import SETTLING, Outcome
from reconciliation.protocol.statements.passes import Purpose, RunStatus

_SETTLES = Q(outcome__in=list(SETTLING))


class StatementRun(models.Model):
    """One pass. It goes on from `place` under the next token when a worker dies.

    `form` is the digest of the profile that the rows are read by. `counts` are rows by outcome.
    `fault` of a file that can't be understood: {row, line, expected, got, sentence}; of a pass
    that had to stop: {sentence, remedy}. `environment`, `receiver` and `digest` repeat the
    statement's, for the promise that a file is applied once.
    """

    statement = models.ForeignKey(Statement, on_delete=models.PROTECT, related_name="runs")
    purpose = word(Purpose)
    rehearsal = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="+")
    environment = models.TextField()
    receiver = models.TextField()
    digest = models.CharField(max_length=64)
    form = models.CharField(max_length=64)
    opened_at = models.DateTimeField()
    status = word(RunStatus, default=RunStatus.WAITING)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    offset = models.PositiveBigIntegerField(default=0)
    row_count = models.PositiveBigIntegerField(default=0)
    line = models.PositiveBigIntegerField(default=0)
    counts = models.JSONField(default=dict)
    fault = models.JSONField(null=True)
    token = models.PositiveBigIntegerField(default=0)
    holder = models.TextField(blank=True, default="")
    lease_until = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            knows_word("purpose", Purpose),
            knows_word("status", RunStatus),
            models.UniqueConstraint(
                fields=["environment", "receiver", "digest"],
                condition=Q(purpose=Purpose.APPLY),
                name="a_file_is_applied_once",
            ),
            models.UniqueConstraint(
                fields=["environment", "receiver"],
                condition=Q(purpose=Purpose.APPLY, status=RunStatus.RUNNING),
                name="one_statement_at_a_time_is_applied",
            ),
            models.CheckConstraint(
                name="what_is_applied_was_rehearsed",
                condition=Q(purpose=Purpose.APPLY, rehearsal__isnull=False)
                | Q(purpose=Purpose.REHEARSE, rehearsal=None),
            ),
            models.CheckConstraint(
                name="a_run_that_is_over_says_when",
                condition=Q(
                    status__in=[RunStatus.DONE, RunStatus.FAILED], finished_at__isnull=False
                )
                | Q(status__in=[RunStatus.WAITING, RunStatus.RUNNING], finished_at=None),
            ),
        ]
        indexes = [
            models.Index(
                fields=["opened_at"],
                name="statement_runs_going_on",
                condition=Q(status__in=[RunStatus.WAITING, RunStatus.RUNNING]),
            ),
        ]
        triggers = [
            keep_rows(),
            pgtrigger.Protect(
                name="a_run_that_is_over_stays",
                operation=pgtrigger.Update,
                condition=pgtrigger.Q(old__status__in=[RunStatus.DONE, RunStatus.FAILED]),
            ),
            pgtrigger.Trigger(
                name="a_run_only_goes_on",
                when=pgtrigger.Before,
                operation=pgtrigger.Update,
                func="""
                    IF NEW.token < OLD.token OR NEW."offset" < OLD."offset"
                        OR NEW.row_count < OLD.row_count THEN
                        RAISE EXCEPTION 'a pass over a statement goes on, and never back'
                            USING ERRCODE = 'check_violation';
                    END IF;
                    RETURN NEW;
                """,
            ),
        ]

    def __str__(self) -> str:
        return f"{self.purpose} of statement {self.statement_id}"


class StatementRow(models.Model):
    """What a dry run found of one row. `occurrence` counts equal rows of the file, from 1.

    `version_seen` is that of the operation when it was compared. `detail` holds what a person
    reads of a row that is no plain match: {differences} or {column, expected, got}.
    """

    pk = models.CompositePrimaryKey("run_id", "number")
    run = models.ForeignKey(StatementRun, on_delete=models.PROTECT, db_index=False)
    number = models.PositiveBigIntegerField()
    line = models.PositiveBigIntegerField()
    outcome = word(Outcome)
    key = models.TextField(blank=True)
    effect_id = models.TextField(blank=True)
    fingerprint = models.UUIDField(null=True)
    occurrence = models.PositiveIntegerField(default=0)
    # Without a constraint, as a million rows are written at once; operations are never deleted.
    operation = models.ForeignKey(
        "operations.Operation",
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    version_seen = models.PositiveBigIntegerField(null=True)
    detail = models.JSONField(null=True)

    class Meta:
        constraints = [knows_word("outcome", Outcome)]
        indexes = [
            models.Index(fields=["run", "fingerprint"], name="equal_rows_of_a_statement"),
            models.Index(
                fields=["run", "outcome", "number"],
                name="statement_rows_to_look_at",
                condition=~Q(outcome__in=[Outcome.ALREADY, Outcome.KNOWN]),
            ),
            models.Index(
                fields=["run", "operation"], name="operations_that_rows_settle", condition=_SETTLES
            ),
            models.Index(
                fields=["run", "effect_id"], name="effects_that_rows_settle_by", condition=_SETTLES
            ),
        ]
        triggers = [append_only()]

    def __str__(self) -> str:
        return f"row {self.number}: {self.outcome}"


class AppliedRow(models.Model):
    """What was written for one row, in the transaction that wrote it: no row is done twice.

    `receipt` is the evidence kept of it; `detail` says why an exact match was left.
    """

    pk = models.CompositePrimaryKey("run_id", "number")
    run = models.ForeignKey(StatementRun, on_delete=models.PROTECT, db_index=False)
    number = models.PositiveBigIntegerField()
    outcome = word(Outcome)
    receipt = models.ForeignKey(
        "operations.Receipt", null=True, on_delete=models.PROTECT, related_name="+"
    )
    detail = models.TextField(blank=True)

    class Meta:
        constraints = [knows_word("outcome", Outcome)]
        indexes = [
            models.Index(fields=["run", "outcome", "number"], name="applied_rows_by_outcome")
        ]
        triggers = [append_only()]

    def __str__(self) -> str:
        return f"row {self.number}: {self.outcome}"
