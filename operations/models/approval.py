"""One request for the yes of one or more people, and each person's answer."""

import pgtrigger
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from operations.models.columns import append_only, keep_rows, knows_word, word
from operations.protocol.states import ApprovalStatus, ApprovalSubject, ChoiceCode


class Approval(models.Model):
    """A request bound to the digests and, for a proposal, to the version it was made under.

    `policy` is the policy as it stood when the request was opened. `proposal` holds what a
    two-person choice needs to be carried out. `excluded_ids` are the people who may not answer:
    proposer, requester, whoever wrote the payload, the token's responsible person (rule 13).
    """

    operation = models.ForeignKey(
        "operations.Operation", on_delete=models.PROTECT, related_name="approvals"
    )
    subject = word(ApprovalSubject)
    choice = word(ChoiceCode, blank=True, default="")
    proposal = models.JSONField(default=dict)
    round = models.PositiveIntegerField(default=1)
    generation = models.PositiveIntegerField()
    version_seen = models.PositiveBigIntegerField()
    payload_digest = models.CharField(max_length=64)
    request_digest = models.CharField(max_length=64, blank=True)
    policy_name = models.TextField(blank=True)
    policy = models.JSONField(default=dict)
    sentence = models.TextField(blank=True)
    role = models.TextField()
    needed = models.PositiveIntegerField(default=1)
    given = models.PositiveIntegerField(default=0)
    status = word(ApprovalStatus, default=ApprovalStatus.OPEN)
    asked_count = models.PositiveIntegerField(default=1)
    excluded_ids = ArrayField(models.BigIntegerField(), default=list)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    opened_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    yes_lives_seconds = models.PositiveIntegerField()
    valid_until = models.DateTimeField(null=True)
    decided_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            knows_word("subject", ApprovalSubject),
            knows_word("choice", ChoiceCode, blank=True),
            knows_word("status", ApprovalStatus),
            models.UniqueConstraint(
                fields=["operation"],
                condition=Q(status=ApprovalStatus.OPEN) & ~Q(subject=ApprovalSubject.PROPOSAL),
                name="one_open_request_per_operation",
            ),
            models.UniqueConstraint(
                fields=["operation"],
                condition=Q(status=ApprovalStatus.OPEN, subject=ApprovalSubject.PROPOSAL),
                name="one_open_proposal_per_operation",
            ),
            models.CheckConstraint(
                name="granted_means_enough_yeses",
                condition=~Q(status=ApprovalStatus.GRANTED)
                | Q(given__gte=F("needed"), valid_until__isnull=False),
            ),
            models.CheckConstraint(
                name="a_proposal_names_its_choice",
                condition=Q(subject=ApprovalSubject.PROPOSAL) & ~Q(choice="")
                | ~Q(subject=ApprovalSubject.PROPOSAL) & Q(choice=""),
            ),
        ]
        indexes = [
            models.Index(
                fields=["expires_at"],
                name="approvals_open_by_expiry",
                condition=Q(status=ApprovalStatus.OPEN),
            ),
            models.Index(fields=["operation", "-id"], name="approvals_of_operation"),
            models.Index(fields=["-decided_at", "-id"], name="approvals_decided"),
        ]
        triggers = [
            keep_rows(),
            pgtrigger.Protect(
                name="a_decided_approval_stays",
                operation=pgtrigger.Update,
                condition=~pgtrigger.Q(
                    old__status__in=[ApprovalStatus.OPEN, ApprovalStatus.GRANTED]
                ),
            ),
            pgtrigger.ReadOnly(
                name="what_is_approved_never_changes",
                fields=[
                    "operation",
                    "subject",
                    "choice",
                    "proposal",
                    "round",
                    "generation",
                    "version_seen",
                    "payload_digest",
                    "request_digest",
                    "policy_name",
                    "policy",
                    "sentence",
                    "role",
                    "needed",
                    "excluded_ids",
                    "requested_by",
                    "opened_at",
                    "expires_at",
                    "yes_lives_seconds",
                ],
            ),
            pgtrigger.Trigger(
                # Whoever writes the statement: a yes is a person's answer, and lives its time.
                name="a_grant_rests_on_answers",
                when=pgtrigger.Before,
                operation=pgtrigger.Insert | pgtrigger.Update,
                func="""
                    IF TG_OP = 'INSERT' THEN
                        IF NEW.status <> 'open' OR NEW.given <> 0
                            OR NEW.valid_until IS NOT NULL THEN
                            RAISE EXCEPTION 'a request begins open and without an answer'
                                USING ERRCODE = 'check_violation';
                        END IF;
                        RETURN NEW;
                    END IF;
                    IF NEW.given <> OLD.given AND NEW.given <> (
                        SELECT count(*) FROM operations_approvaldecision d
                        WHERE d.approval_id = NEW.id AND d.is_yes
                    ) THEN
                        RAISE EXCEPTION 'given counts the answers on record'
                            USING ERRCODE = 'check_violation';
                    END IF;
                    IF NEW.valid_until IS DISTINCT FROM OLD.valid_until AND (
                        OLD.valid_until IS NOT NULL OR NEW.status <> 'granted'
                        OR NEW.valid_until
                            > NEW.decided_at + make_interval(secs => NEW.yes_lives_seconds)
                    ) THEN
                        RAISE EXCEPTION 'a yes lives as long as its request says'
                            USING ERRCODE = 'check_violation';
                    END IF;
                    RETURN NEW;
                """,
            ),
        ]

    def __str__(self) -> str:
        return f"{self.subject} {self.given}/{self.needed} {self.status}"


class ApprovalDecision(models.Model):
    """One person's yes or no to one request; the database refuses the people it excludes."""

    approval = models.ForeignKey(Approval, on_delete=models.PROTECT, related_name="decisions")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    is_yes = models.BooleanField()
    reason = models.TextField(blank=True)
    payload_digest_seen = models.CharField(max_length=64)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["approval", "person"], name="each_person_answers_once")
        ]
        triggers = [
            append_only(),
            pgtrigger.Trigger(
                name="nobody_decides_their_own_request",
                when=pgtrigger.Before,
                operation=pgtrigger.Insert,
                func="""
                    IF EXISTS (
                        SELECT 1 FROM operations_approval a WHERE a.id = NEW.approval_id
                        AND (NEW.person_id = ANY(a.excluded_ids)
                             OR NEW.person_id = a.requested_by_id
                             OR NEW.payload_digest_seen <> a.payload_digest
                             OR a.status <> 'open'
                             OR NEW.at NOT BETWEEN a.opened_at AND clock_timestamp()
                             OR NEW.at >= a.expires_at)
                    ) THEN
                        RAISE EXCEPTION 'this person may not decide this request now'
                            USING ERRCODE = 'check_violation';
                    END IF;
                    RETURN NEW;
                """,
            ),
        ]

    def __str__(self) -> str:
        return f"{'yes' if self.is_yes else 'no'} of {self.person_id}"
