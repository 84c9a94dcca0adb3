"""What drills found: a row a run, one a drill of it, one for its end; each is written once."""

from datetime import datetime, timedelta

import pgtrigger
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from operations.models.columns import append_only, knows_word, word
from reconciliation.protocol.drills import DrillVerdict


class DrillRun(models.Model):
    """One `manage.py drill`: what it plans, and within which time it is over in any case."""

    started_at = models.DateTimeField()
    started_by = models.TextField()
    release = models.TextField()
    seed = models.PositiveBigIntegerField()
    planned = ArrayField(models.TextField())
    within_seconds = models.PositiveIntegerField()

    class Meta:
        indexes = [models.Index(fields=["-started_at", "-id"], name="drills_newest_first")]
        triggers = [append_only()]

    def __str__(self) -> str:
        return f"drill {self.pk}"

    @property
    def over_by(self) -> datetime:
        """When it is over in any case, though its process died without a word."""
        return self.started_at + timedelta(seconds=self.within_seconds)


class DrillEnd(models.Model):
    """A run is over, in order or because it was told to end. One that was killed has none."""

    run = models.OneToOneField(DrillRun, on_delete=models.PROTECT, related_name="end")
    at = models.DateTimeField()

    class Meta:
        triggers = [
            append_only(),
            pgtrigger.Trigger(
                name="an_end_waits_for_results",
                when=pgtrigger.Before,
                operation=pgtrigger.Insert,
                # One after the other with results. The lock is that of the trail "drills", which
                # the entry takes anyway: none waits crosswise.
                func="""
                    PERFORM pg_advisory_xact_lock(hashtextextended('drills', 16));
                    RETURN NEW;
                """,
            ),
        ]

    def __str__(self) -> str:
        return f"end of drill {self.run_id}"


class DrillResult(models.Model):
    """How one drill of a run ended. `requests` and `effects` are the receiver's own counts.

    None stands for "could not be counted". `fault` says what was expected and what was got.
    """

    run = models.ForeignKey(DrillRun, on_delete=models.PROTECT, related_name="results")
    name = models.TextField()
    operation = models.ForeignKey(
        "operations.Operation", null=True, on_delete=models.PROTECT, related_name="+"
    )
    began_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    kills = models.PositiveIntegerField()
    requests = models.PositiveIntegerField(null=True)
    effects = models.PositiveIntegerField(null=True)
    outcome = models.TextField()
    verdict = word(DrillVerdict)
    fault = models.TextField(blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "name"], name="one_result_per_drill"),
            knows_word("verdict", DrillVerdict),
            models.CheckConstraint(
                name="a_drill_that_failed_says_why",
                condition=Q(verdict=DrillVerdict.FAILED) & ~Q(fault="")
                | Q(verdict=DrillVerdict.PASSED) & Q(fault=""),
            ),
        ]
        triggers = [
            append_only(),
            pgtrigger.Trigger(
                name="a_result_is_of_a_run_that_goes_on",
                when=pgtrigger.Before,
                operation=pgtrigger.Insert,
                func="""
                    PERFORM pg_advisory_xact_lock(hashtextextended('drills', 16));
                    IF NOT EXISTS (
                        SELECT 1 FROM reconciliation_drillrun r WHERE r.id = NEW.run_id
                        AND NEW.name = ANY(r.planned)
                        AND NOT EXISTS (
                            SELECT 1 FROM reconciliation_drillend e WHERE e.run_id = r.id)
                    ) THEN
                        RAISE EXCEPTION 'a result needs its drill in the plan of a run that goes on'
                            USING ERRCODE = 'check_violation';
                    END IF;
                    RETURN NEW;
                """,
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.verdict}"
