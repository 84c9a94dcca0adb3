"""What a person may do with a statement now, what it would do, and why not the rest."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.urls import reverse

from operations.protocol.refusals import Refusal
from operations.registry import receiver_of
from operations.roles import Ability, may
from operations.web.forms.decision import DecisionForm
from reconciliation.models import StatementProposal, StatementRun
from reconciliation.protocol.statements.outcomes import Outcome, Road
from reconciliation.protocol.statements.passes import RunStatus
from reconciliation.queries.statements import StatementRecord
from reconciliation.web.statement_forms import AnswerForm, ProposeForm
from reconciliation.web.statements import COMMAND

PROPOSE_PLACE, SECOND_PLACE = "propose", "second"
TARGET = "#statement"
# What is kept as evidence, by whatever name.
_KEPT = (
    Outcome.MISMATCH,
    Outcome.LATE,
    Outcome.NOT_PROOF,
    Outcome.KEPT,
    Outcome.UNMATCHED,
    Outcome.REPEATED,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Submitted:
    """A form that was sent and not carried out, as it comes back."""

    form: DecisionForm
    refusal: Refusal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decide:
    """The buttons of a decision, or why this person does not have them."""

    url: str
    form: DecisionForm | None
    yes: str
    no: str = ""
    why_not: str = ""
    refusal: Refusal | None = None
    target: str = TARGET


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceView:
    """One card. `proposal` waits for a second person; `again_url` compares once more."""

    title: str
    sentence: str
    does: Sequence[str] = ()
    does_not: Sequence[str] = ()
    proposal: StatementProposal | None = None
    decide: Decide | None = None
    again_url: str = ""

    def holds(self, sent: Submitted) -> bool:
        """Whether a form that came back is shown here, with its refusal."""
        return self.decide is not None and self.decide.form is sent.form


def choice_of(
    record: StatementRecord, user: User, *, now: datetime, sent: Submitted | None
) -> ChoiceView | None:
    """The one thing to decide; None while a worker is at it, and once it is applied."""
    if record.application is not None or record.is_going_on:
        return None
    if record.applied_elsewhere is not None:
        number = record.applied_elsewhere.statement_id
        return ChoiceView(
            title="Applied before",
            sentence=f"The same file was applied as statement {number}; a file is applied once.",
        )
    rehearsal = record.rehearsal
    if rehearsal is None or rehearsal.status == RunStatus.FAILED:
        return _compare_again(record, user)
    if record.statement.road == Road.MACHINE:
        return ChoiceView(
            title="Apply",
            sentence="A machine brought this file, and the same command applies it: "
            f"{COMMAND} FILE --receiver {record.statement.receiver} "
            f"--environment {record.statement.environment} "
            f"--profile {record.statement.profile} --apply",
        )
    if record.proposal is not None and not record.proposal.is_overdue(now):
        return _second(record, record.proposal, user, sent)
    return _propose(record, rehearsal, user, sent)


def _compare_again(record: StatementRecord, user: User) -> ChoiceView:
    may_settle = may(user, Ability.SETTLE)
    return ChoiceView(
        title="Compare again",
        sentence="Nothing was changed. Once what stopped it is mended, it can be compared again."
        if may_settle
        else "Nothing was changed. Comparing it again takes the role operator.",
        again_url=_url("statement_rehearsal", record) if may_settle else "",
    )


def _propose(
    record: StatementRecord, rehearsal: StatementRun, user: User, sent: Submitted | None
) -> ChoiceView:
    may_settle, second = may(user, Ability.SETTLE), _needs_second(record)
    form: DecisionForm = ProposeForm(place=PROPOSE_PLACE, initial={"rehearsal": rehearsal.pk})
    came_back = sent if sent and isinstance(sent.form, ProposeForm) else None
    if came_back:
        form = came_back.form
        form.renew(version=1)
    return ChoiceView(
        title="Apply",
        sentence=_voided(record)
        + (
            "Another person agrees to these totals before anything is changed."
            if second
            else "This receiver's profile asks for no second person: it is applied at once."
        ),
        does=_does(rehearsal),
        does_not=("Sends nothing, and confirms nothing that differs.",),
        decide=Decide(
            url=_url("statement_proposal", record),
            form=form if may_settle else None,
            yes="Propose to apply it" if second else "Apply it",
            why_not="" if may_settle else "Proposing it takes the role operator.",
            refusal=came_back.refusal if came_back else None,
        ),
        again_url=_url("statement_rehearsal", record) if may_settle else "",
    )


def _voided(record: StatementRecord) -> str:
    if record.voided is None:
        return ""
    by = record.voided.proposed_by.get_username()
    return f"What {by} proposed is void, since the file was compared again after that. "


def _second(
    record: StatementRecord, proposal: StatementProposal, user: User, sent: Submitted | None
) -> ChoiceView:
    why_not = _why_not(proposal, user)
    form: DecisionForm = AnswerForm(place=SECOND_PLACE)
    came_back = sent if sent and isinstance(sent.form, AnswerForm) else None
    if came_back:
        form = came_back.form
        form.renew(version=1)
    return ChoiceView(
        title="Apply",
        sentence="",
        does=_does(proposal.rehearsal),
        does_not=(
            "Sends nothing, and confirms nothing that differs.",
            "Leaves what changed since, and what you had a part in, to somebody else.",
        ),
        proposal=proposal,
        decide=Decide(
            url=reverse("reconciliation:statement_answer", args=[record.statement.pk, proposal.pk]),
            form=None if why_not else form,
            yes="Agree, and apply it",
            no="Reject",
            why_not=why_not,
            refusal=came_back.refusal if came_back else None,
        ),
    )


def _why_not(proposal: StatementProposal, user: User) -> str:
    parts = {proposal.uploaded_by_id: "uploaded it", proposal.proposed_by_id: "proposed it"}
    if user.pk in parts:
        return f"You {parts[user.pk]}: another person has to agree."
    return "" if may(user, Ability.SECOND) else "It takes the role approver or operator."


def _does(rehearsal: StatementRun) -> list[str]:
    confirms = rehearsal.counts.get(Outcome.CONFIRMS, 0)
    kept = sum(rehearsal.counts.get(outcome, 0) for outcome in _KEPT)
    return [
        f"Confirms {_count(confirms, 'operation')}, as attested, each in its own transaction.",
        f"Keeps {_count(kept, 'row')} as evidence; what differs asks a person.",
    ]


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _needs_second(record: StatementRecord) -> bool:
    config = receiver_of(record.statement)
    return config is None or config.profile.second_person


def _url(name: str, record: StatementRecord) -> str:
    return reverse(f"reconciliation:{name}", args=[record.statement.pk])
