"""The one place where an operation is visible (rule 15), and when it counts as stalled."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from operations.protocol.claims import is_live
from operations.protocol.facts import Facts
from operations.protocol.profiles import Profile
from operations.protocol.states import SETTLED_STATES, LookupResult, Question, Queue, State
from operations.protocol.words import at_text


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueFacts:
    """What a queue is chosen by. The claim's end is None when none is held or it was given back."""

    state: State
    open_questions: frozenset[Question]
    machine_claim_expires_at: datetime | None
    next_try_at: datetime | None

    @classmethod
    def of(cls, facts: Facts) -> "QueueFacts":
        """The same facts, taken from a whole snapshot."""
        return cls(
            state=facts.state,
            open_questions=facts.open_questions,
            machine_claim_expires_at=facts.machine_claim_expires_at,
            next_try_at=facts.next_try_at,
        )


def queue(facts: QueueFacts, now: datetime) -> Queue:
    """Where the operation is shown at `now`; the first match wins (design section 2)."""
    if facts.open_questions - {Question.STALLED}:
        return Queue.UNRESOLVED
    if Question.STALLED in facts.open_questions:
        return Queue.STALLED
    if facts.state is State.AWAITING_APPROVAL:
        return Queue.WAITING_FOR_APPROVAL
    if is_live(facts.machine_claim_expires_at, now):
        return Queue.RUNNING
    if facts.next_try_at is not None and facts.next_try_at > now:
        return Queue.SCHEDULED
    is_due = facts.next_try_at is not None or facts.state not in SETTLED_STATES
    return Queue.DUE if is_due else Queue.DONE


def why_stalled(facts: Facts, profile: Profile, now: datetime) -> str | None:
    """The reason to open a `stalled` review, in a sentence, or None. It changes no state."""
    if facts.is_settled:
        return None
    if facts.state is State.READY and facts.claims_without_mark >= profile.claims_before_stalled:
        return f"It was claimed {facts.claims_without_mark} times without a mark."
    return _could_not_ask(facts, profile, now) or _overdue(facts, profile, now)


def _could_not_ask(facts: Facts, profile: Profile, now: datetime) -> str | None:
    since = None
    for lookup in sorted(facts.lookups, key=lambda row: row.asked_at, reverse=True):
        if lookup.result is not LookupResult.COULD_NOT_ASK:
            break
        since = lookup.asked_at
    limit = timedelta(seconds=profile.lookup_limit_seconds)
    if facts.state is not State.SENT_UNKNOWN or since is None or now - since < limit:
        return None
    return (
        f"The receiver could not be asked since {at_text(since, now=now)}, "
        f"longer than the limit of {profile.lookup_limit_seconds} s."
    )


def _overdue(facts: Facts, profile: Profile, now: datetime) -> str | None:
    due_at = facts.next_try_at
    is_running = is_live(facts.machine_claim_expires_at, now)
    limit = timedelta(seconds=profile.due_limit_seconds)
    if due_at is None or is_running or now - due_at < limit:
        return None
    is_unknown = facts.state is State.SENT_UNKNOWN
    why = f" No worker is free, or {profile.receiver} answers no lookup." if is_unknown else ""
    return (
        f"It was due at {at_text(due_at, now=now)} and nobody took it, "
        f"longer than the limit of {profile.due_limit_seconds} s.{why}"
    )
