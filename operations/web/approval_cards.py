"""One request for approval as its card shows it: what will happen, who said what, what is left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from operations.models import Approval, ApprovalDecision, Operation
from operations.protocol.refusals import Refusal
from operations.protocol.states import ApprovalStatus, ApprovalSubject, ChoiceCode, Executor, State
from operations.queries.approvals import LIKE_DAYS
from operations.queries.approvals import ApprovalCard as Request
from operations.registry import configuration_of
from operations.templatetags.wording import span
from operations.web.forms.approval import ApprovalForm

SHORT_SHARE = 20  # per cent of its life, from which on the time that is left is an alarm
GROUNDS = {
    ApprovalSubject.POSSIBLE_DUPLICATE: "Possible duplicate",
    ApprovalSubject.SUPERSESSION: "In place of another",
    ApprovalSubject.PROPOSAL: "Two people",
}
ENDS = {
    ApprovalStatus.GRANTED: "granted",
    ApprovalStatus.REJECTED: "rejected",
    ApprovalStatus.EXPIRED: "ran out",
}

END_WORDS = {
    ApprovalStatus.GRANTED: "Granted",
    ApprovalStatus.REJECTED: "Rejected",
    ApprovalStatus.EXPIRED: "Ran out without enough answers",
    ApprovalStatus.VOIDED: "Voided by a change",
    ApprovalStatus.WITHDRAWN: "Withdrawn by whoever asked",
}


@dataclass(frozen=True, slots=True)
class Seat:
    """One yes that is needed, and who gave it."""

    is_taken: bool
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meter:
    """The time that is left, as components/meter.html draws it."""

    name: str
    word: str
    percent: int
    tone: str
    sentence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decide:
    """The two buttons, or why this person does not have them."""

    form: ApprovalForm | None = None
    url: str = ""
    target: str = ""
    yes: str = "Approve"
    no: str = "Reject"
    why_not: str = ""
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """Everything on one card, as plain words and values.

    `ended_at` and `end_words` tell when an answer stopped being possible, and how; `sent_line` is
    "" where a yes sends nothing.
    """

    approval: Approval
    operation: Operation
    status: ApprovalStatus
    heading: str
    ground: str
    policy_sentence: str
    asked_by: str
    seats: Sequence[Seat]
    payload_line: str
    left_out_count: int
    sent_line: str
    drift: str
    recent: str
    decisions: Sequence[ApprovalDecision]
    clock: Meter | None
    ended_at: datetime | None
    end_words: str
    answer_url: str
    decide: Decide

    @property
    def is_open(self) -> bool:
        """Whether it still waits for answers."""
        return self.status == ApprovalStatus.OPEN


def card_of(
    found: Request,
    *,
    now: datetime,
    sent: ApprovalForm | None = None,
    refusal: Refusal | None = None,
) -> Card:
    """The card of a request that was found for this person.

    `sent` is their form when it comes back, with what was typed; `refusal` is why it does.
    """
    approval, operation = found.approval, found.operation
    return Card(
        approval=approval,
        operation=operation,
        status=found.status,
        heading=_heading(operation),
        ground=approval.policy_name or GROUNDS[ApprovalSubject(approval.subject)],
        policy_sentence=approval.sentence,
        asked_by=found.asked_by,
        seats=_seats(approval, found.decisions),
        payload_line=found.payload_start,
        left_out_count=max(0, found.payload_length - len(found.payload_start)),
        sent_line=_sent_line(operation) if _leads_to_a_send(approval) else "",
        drift=found.drift,
        recent=_recent(found.like_it),
        decisions=found.decisions,
        clock=_clock(found, now),
        ended_at=_ended_at(found),
        end_words=END_WORDS.get(found.status, ""),
        answer_url=f"{reverse('operations:detail', args=[operation.pk])}#operation"
        if found.is_proposal and not found.why_not
        else "",
        decide=_decide(found, sent, refusal),
    )


def form_for(
    approval: Approval, operation: Operation, data: Mapping[str, str] | None = None
) -> ApprovalForm:
    """The answer's form, bound to the version and the bytes that are shown with it."""
    return ApprovalForm(
        data,
        version=operation.version,
        place=target_of(approval.pk),
        digest=approval.payload_digest,
    )


def target_of(approval_id: int) -> str:
    """The id of the card's element."""
    return f"approval-{approval_id}"


def _decide(found: Request, sent: ApprovalForm | None, refusal: Refusal | None) -> Decide:
    approval, operation = found.approval, found.operation
    if found.why_not or found.is_proposal:
        return Decide(why_not=found.why_not, refusal=refusal)
    if sent is not None:
        sent.renew(version=operation.version)
    return Decide(
        form=sent or form_for(approval, operation),
        url=reverse("operations:approval_answer", args=[approval.pk]),
        target=f"#{target_of(approval.pk)}",
        refusal=refusal,
    )


def _heading(operation: Operation) -> str:
    kind = configuration_of(operation.environment).kinds.get(operation.kind)
    name = kind.title if kind else operation.kind
    return f"{name}: {operation.title}" if operation.title else f"{name} {operation.key}"


def _seats(approval: Approval, decisions: Sequence[ApprovalDecision]) -> list[Seat]:
    taken = [Seat(is_taken=True, name=str(each.person)) for each in decisions if each.is_yes]
    return taken + [Seat(is_taken=False)] * (approval.needed - len(taken))


def _leads_to_a_send(approval: Approval) -> bool:
    return approval.subject != ApprovalSubject.PROPOSAL or approval.choice == ChoiceCode.RELEASE


def _sent_line(operation: Operation) -> str:
    """Who sends it, and what the call is where it is ours."""
    if operation.executor == Executor.CONSOLE:
        return f"once, by the console: {operation.request_method} {operation.request_url}"
    agent = operation.agent.name if operation.agent else "its agent"
    return f"once, by {agent} itself"


def _recent(like_it: Mapping[ApprovalStatus, int]) -> str:
    told = [f"{like_it[end]} {word}" for end, word in ENDS.items() if like_it.get(end)]
    return f"{', '.join(told)} under this policy in {LIKE_DAYS} days" if told else ""


def _clock(found: Request, now: datetime) -> Meter | None:
    approval = found.approval
    if found.status == ApprovalStatus.OPEN:
        outcome = "nothing is done" if found.is_proposal else "it is cancelled, and nothing is sent"
        return _meter(
            "Time left to decide",
            start=approval.opened_at,
            end=approval.expires_at,
            now=now,
            sentence=f"If nobody decides, {outcome}.",
        )
    decided_at, ends_at = approval.decided_at, approval.valid_until
    if found.status != ApprovalStatus.GRANTED or decided_at is None or ends_at is None:
        return None
    if ends_at <= now or found.operation.state != State.READY:
        return None
    return _meter("The yes is valid for", start=decided_at, end=ends_at, now=now)


def _ended_at(found: Request) -> datetime | None:
    if found.status == ApprovalStatus.OPEN:
        return None
    return found.approval.decided_at or found.approval.expires_at


def _meter(
    name: str, *, start: datetime, end: datetime, now: datetime, sentence: str = ""
) -> Meter:
    percent = round(100 * ((end - now) / (end - start))) if end > start else 0
    percent = min(100, max(0, percent))
    return Meter(
        name=name,
        word=span(end - now),
        percent=percent,
        tone="alarm" if percent <= SHORT_SHARE else "waiting",
        sentence=sentence,
    )
