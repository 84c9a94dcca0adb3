"""The words of a moment as the facts that the product's pure functions take: instants and rows."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from operations.protocol.facts import AttemptFacts, Facts, LookupFacts, ReceiptFacts
from operations.protocol.states import (
    ApprovalStatus,
    AttemptOutcome,
    Channel,
    Executor,
    LookupResult,
    Question,
    ReceiptStatus,
    State,
    Verdict,
)
from tests.campaigns.model.state import (
    DEADLINE_OVER,
    EARLY,
    MAY_SEND,
    NOT_FOUND,
    QUARANTINE_OVER,
    REJECTED,
    Attempt,
    Moment,
)
from tests.campaigns.model.switches import Rules

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
SEND_WITHIN, DELAY, LAG, WINDOW = 30, 60, 5, 10_000
# How long ago an attempt was marked for its clock to stand where it stands.
_AGE = {
    MAY_SEND: SEND_WITHIN // 2,
    DEADLINE_OVER: SEND_WITHIN + DELAY // 2,
    QUARANTINE_OVER: SEND_WITHIN + DELAY + LAG + 60,
}


class Known(NamedTuple):
    """What of a moment a person's choices are judged by."""

    state: State
    attempts: tuple[Attempt, ...]
    generation: int
    looked: str
    evidence: bool
    review: Question | None
    is_asked: bool
    window_over: bool
    is_rejected: bool


def known(moment: Moment, rules: Rules) -> Known:
    """A variant may take a lookup or a quarantine for more than it is."""
    attempts, looked = moment.attempts, moment.looked
    if not rules.early_answers_are_void and looked == EARLY:
        looked = NOT_FOUND
    if not rules.quarantine_has_delay:
        looked = NOT_FOUND if looked == EARLY else looked
        attempts = tuple(
            attempt._replace(clock=QUARANTINE_OVER) if attempt.clock == DEADLINE_OVER else attempt
            for attempt in attempts
        )
    return Known(
        moment.state,
        attempts,
        moment.generation,
        looked,
        moment.evidence,
        moment.review,
        moment.is_asked,
        moment.window_over,
        moment.approval == REJECTED,
    )


def facts_of(known: Known) -> Facts:
    """The product's facts, so placed in time that they say just this."""
    questions = {known.review} if known.review else set()
    return Facts(
        state=known.state,
        cause=None,
        grade=None,
        executor=Executor.AGENT,
        version=1,
        generation=known.generation,
        created_at=NOW - timedelta(days=2),
        state_since=NOW - timedelta(seconds=1),
        attempts=tuple(_attempts(known)),
        receipts=(_UNEXPLAINED,) if known.evidence else (),
        lookups=tuple(_lookups(known.looked)),
        open_questions=frozenset(questions | ({_OUTCOME} if known.is_asked else set())),
        approval_status=ApprovalStatus.REJECTED if known.is_rejected else None,
        approval_expires_at=None,
        machine_claim_purpose=None,
        machine_claim_expires_at=None,
        review_holder=None,
        review_expires_at=None,
        next_try_at=None,
        is_halted=False,
        proposal_open=None,
        claims_without_mark=0,
        viewer=None,
    )


_OUTCOME = Question.UNKNOWN_OUTCOME


def _attempts(known: Known) -> Iterator[AttemptFacts]:
    for generation, attempt in enumerate(known.attempts, start=1):
        if not attempt.clock:
            continue
        is_old = known.window_over and generation == 1
        marked_at = NOW - timedelta(seconds=WINDOW + 1 if is_old else _AGE[attempt.clock])
        yield AttemptFacts(
            generation=generation,
            marked_at=marked_at,
            send_deadline_at=marked_at + timedelta(seconds=SEND_WITHIN),
            outcome=AttemptOutcome.UNKNOWN if attempt.is_closed else None,
            gone_recorded=False,
        )


def _lookups(looked: str) -> Iterator[LookupFacts]:
    """One asked just now, or one from long before any quarantine was over."""
    ago = {NOT_FOUND: timedelta(seconds=1), EARLY: timedelta(hours=1)}
    if looked in ago:
        yield LookupFacts(asked_at=NOW - ago[looked], result=LookupResult.NOT_FOUND)


_UNEXPLAINED = ReceiptFacts(
    status=ReceiptStatus.CONFIRMED,
    verdict=Verdict.KEPT,
    channel=Channel.RESPONSE,
    effect_id="effect",
    is_unexplained=True,
    received_at=NOW - timedelta(seconds=5),
)
