"""The facts that choices, queues and next actions are judged by: one snapshot of one operation."""

from dataclasses import dataclass, replace
from datetime import datetime

from operations.protocol.profiles import CallTimes, Profile, last_call_at, quarantine_ends_at
from operations.protocol.states import (
    SETTLED_STATES,
    ApprovalStatus,
    AttemptOutcome,
    Cause,
    Channel,
    ChoiceCode,
    Executor,
    Grade,
    LookupResult,
    Purpose,
    Question,
    ReceiptStatus,
    State,
    Verdict,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptFacts:
    """One dispatch. `gone_recorded`: two people recorded that its process is gone.

    `closed_at`: when its sender reported its end, or the second of the two did.
    """

    generation: int
    marked_at: datetime
    send_deadline_at: datetime
    outcome: AttemptOutcome | None
    gone_recorded: bool
    closed_at: datetime | None = None

    @property
    def is_closed(self) -> bool:
        """Nobody acts on it any more: its sender said so, or two people did (rule 3 d)."""
        return self.outcome is not None or self.gone_recorded


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptFacts:
    """One piece of evidence. Unexplained: it speaks of an effect and nobody said whose."""

    status: ReceiptStatus
    verdict: Verdict
    channel: Channel
    effect_id: str | None
    is_unexplained: bool
    received_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupFacts:
    """One question to the receiver; `asked_at` is the database's clock before it was asked."""

    asked_at: datetime
    result: LookupResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """One operation as one transaction saw it. `lookups` holds the latest 50, `viewer` the
    username of the person who looks (None for machines)."""

    state: State
    cause: Cause | None
    grade: Grade | None
    executor: Executor
    version: int
    generation: int
    created_at: datetime
    state_since: datetime
    attempts: tuple[AttemptFacts, ...]
    receipts: tuple[ReceiptFacts, ...]
    lookups: tuple[LookupFacts, ...]
    open_questions: frozenset[Question]
    approval_status: ApprovalStatus | None
    approval_expires_at: datetime | None
    machine_claim_purpose: Purpose | None
    machine_claim_expires_at: datetime | None
    review_holder: str | None
    review_expires_at: datetime | None
    next_try_at: datetime | None
    is_halted: bool
    proposal_open: ChoiceCode | None
    claims_without_mark: int
    viewer: str | None
    proposal_expires_at: datetime | None = None

    @property
    def is_settled(self) -> bool:
        """Whether the operation is in one of the four final states."""
        return self.state in SETTLED_STATES

    @property
    def send_deadline_at(self) -> datetime | None:
        """The last instant at which any attempt may still leave; None without an attempt."""
        return max((attempt.send_deadline_at for attempt in self.attempts), default=None)

    @property
    def first_marked_at(self) -> datetime | None:
        """When the first attempt of any generation was marked; the dedup window starts here."""
        return min((attempt.marked_at for attempt in self.attempts), default=None)

    @property
    def unexplained(self) -> tuple[ReceiptFacts, ...]:
        """The evidence that closes release and not_executed, newest first (rule 3 c)."""
        kept = (receipt for receipt in self.receipts if receipt.is_unexplained)
        return tuple(sorted(kept, key=lambda receipt: receipt.received_at, reverse=True))

    @property
    def open_reviews(self) -> frozenset[Question]:
        """The open questions that hold the operation back; `stalled` asks and holds nothing."""
        return self.open_questions - {Question.STALLED}

    def last_call_at(self, profile: Profile, *, up_to: int | None = None) -> datetime | None:
        """The last instant at which a request can have left, or one up to that generation."""
        return last_call_at(
            profile,
            (
                CallTimes(attempt.send_deadline_at, attempt.closed_at)
                for attempt in self.attempts
                if up_to is None or attempt.generation <= up_to
            ),
        )

    def quarantine_ends_at(self, profile: Profile, *, up_to: int | None = None) -> datetime | None:
        """Rule 3 (a), after the attempts up to that generation; None without an attempt."""
        last_at = self.last_call_at(profile, up_to=up_to)
        return None if last_at is None else quarantine_ends_at(profile, last_at)

    def reviewer(self, now: datetime) -> str | None:
        """Who holds the case at `now`."""
        if self.review_expires_at is None or self.review_expires_at <= now:
            return None
        return self.review_holder


def as_read(facts: Facts, now: datetime) -> Facts:
    """The facts as they are to be read at `now`, before any sweep wrote it (section 6).

    An overdue request for approval reads cancelled, cause expired, while nothing was sent; with
    an attempt on record it reads sent_unknown, for "never sent" can't be said. A proposal that is
    over waits for nobody.
    """
    proposal_ends_at = facts.proposal_expires_at
    if proposal_ends_at is not None and proposal_ends_at <= now:
        facts = replace(facts, proposal_open=None, proposal_expires_at=None)
    is_overdue = (
        facts.state is State.AWAITING_APPROVAL
        and facts.approval_status is ApprovalStatus.OPEN
        and facts.approval_expires_at is not None
        and facts.approval_expires_at <= now
    )
    if not is_overdue:
        return facts
    if facts.attempts:
        return replace(facts, state=State.SENT_UNKNOWN, approval_status=ApprovalStatus.EXPIRED)
    return replace(
        facts,
        state=State.CANCELLED,
        cause=Cause.EXPIRED,
        approval_status=ApprovalStatus.EXPIRED,
    )


def executed(facts: Facts) -> bool | None:
    """True: it happened. False: it did not (so far). None: that is not known."""
    if facts.state is State.CONFIRMED:
        return True
    if facts.is_settled or not facts.attempts:
        return False
    return None
