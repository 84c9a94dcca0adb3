"""Facts and profiles for tests: one unknown outcome at a receiver with keys and lookup."""

from datetime import UTC, datetime, timedelta
from typing import Any

from operations.protocol.facts import AttemptFacts, Facts, LookupFacts, ReceiptFacts
from operations.protocol.profiles import Profile
from operations.protocol.states import (
    AttemptOutcome,
    Channel,
    Executor,
    LookupResult,
    ReceiptStatus,
    State,
    Verdict,
)

MARKED_AT = datetime(2025, 11, 30, 9, 58, 41, tzinfo=UTC)
SEND_DEADLINE_AT = MARKED_AT + timedelta(seconds=30)  # 09:59:11
QUARANTINE_ENDS_AT = SEND_DEADLINE_AT + timedelta(seconds=300)  # 10:04:11
DEDUP_ENDS_AT = MARKED_AT + timedelta(seconds=86_400 - 3_600)


def after(at: datetime, seconds: float) -> datetime:
    return at + timedelta(seconds=seconds)


def a_profile(**changes: Any) -> Profile:
    return Profile(
        **{
            "receiver": "sandbox",
            "connector": "sandbox",
            "deduplicates": True,
            "dedup_window_seconds": 86_400,
            "dedup_margin_seconds": 3_600,
            "has_lookup": True,
            "lookup_lag_seconds": 60,
            "delivery_delay_seconds": 240,
            **changes,
        }
    )


def without_keys(**changes: Any) -> Profile:
    return a_profile(deduplicates=False, dedup_window_seconds=None, **changes)


def an_attempt(**changes: Any) -> AttemptFacts:
    return AttemptFacts(
        **{
            "generation": 1,
            "marked_at": MARKED_AT,
            "send_deadline_at": SEND_DEADLINE_AT,
            "outcome": None,
            "gone_recorded": False,
            **changes,
        }
    )


def a_closed_attempt() -> AttemptFacts:
    return an_attempt(outcome=AttemptOutcome.UNKNOWN)


def a_receipt(**changes: Any) -> ReceiptFacts:
    return ReceiptFacts(
        **{
            "status": ReceiptStatus.CONFIRMED,
            "verdict": Verdict.KEPT,
            "channel": Channel.RESPONSE,
            "effect_id": "effect-1",
            "is_unexplained": True,
            "received_at": after(MARKED_AT, 5),
            **changes,
        }
    )


def a_lookup(asked_at: datetime, result: LookupResult = LookupResult.NOT_FOUND) -> LookupFacts:
    return LookupFacts(asked_at=asked_at, result=result)


def facts_of(**changes: Any) -> Facts:
    """An unknown outcome just after its mark, unless `changes` say otherwise."""
    return Facts(
        **{
            "state": State.SENT_UNKNOWN,
            "cause": None,
            "grade": None,
            "executor": Executor.AGENT,
            "version": 3,
            "generation": 1,
            "created_at": after(MARKED_AT, -60),
            "state_since": MARKED_AT,
            "attempts": (an_attempt(),),
            "receipts": (),
            "lookups": (),
            "open_questions": frozenset(),
            "approval_status": None,
            "approval_expires_at": None,
            "machine_claim_purpose": None,
            "machine_claim_expires_at": None,
            "review_holder": None,
            "review_expires_at": None,
            "next_try_at": None,
            "is_halted": False,
            "proposal_open": None,
            "claims_without_mark": 0,
            "viewer": "ines",
            **changes,
        }
    )


def never_sent(state: State, **changes: Any) -> Facts:
    return facts_of(state=state, attempts=(), **changes)
