"""What an agent is told to do next. It never says "try again"."""

from dataclasses import dataclass
from datetime import datetime

from operations.protocol.claims import is_live
from operations.protocol.facts import Facts, as_read
from operations.protocol.profiles import Profile
from operations.protocol.states import (
    Cause,
    Executor,
    Grade,
    NextActionCode,
    Question,
    State,
)
from operations.protocol.words import until_text


@dataclass(frozen=True, slots=True, kw_only=True)
class NextAction:
    """One word, one sentence, what it means to do, and from when on (None: now, or not known)."""

    code: NextActionCode
    sentence: str
    remedy: str
    opens_at: datetime | None = None


def next_action(facts: Facts, profile: Profile, now: datetime) -> NextAction:
    """The next action by the operation's state as it is to be read at `now`."""
    facts = as_read(facts, now)
    return _BY_STATE[facts.state](facts, profile, now)


def _after_awaiting(facts: Facts, profile: Profile, now: datetime) -> NextAction:
    held = _held(facts)
    if held:
        return held
    until = facts.approval_expires_at
    by = f" until {until_text(until, now=now)}" if until else ""
    return NextAction(
        code=NextActionCode.WAIT_FOR_APPROVAL,
        sentence=f"The request waits for people to decide{by}; nothing was sent in this round.",
        remedy="Wait and observe; registering again observes the same request.",
    )


def _after_ready(facts: Facts, profile: Profile, now: datetime) -> NextAction:
    held = _held(facts)
    if held:
        return held
    if facts.is_halted:
        return NextAction(
            code=NextActionCode.ASK_PERSON,
            sentence="Dispatch is halted here; nothing may be sent until a person lifts the halt.",
            remedy="Wait and observe, or ask the people who run the console.",
        )
    if facts.executor is Executor.CONSOLE:
        return _by_dispatcher(facts, now)
    ends_at = facts.machine_claim_expires_at
    if ends_at is not None and is_live(ends_at, now):
        return NextAction(
            code=NextActionCode.CLAIM,
            sentence=f"It is claimed until {until_text(ends_at, now=now)}.",
            remedy="Its holder goes on with its token; anyone else claims after that time.",
            opens_at=ends_at,
        )
    return NextAction(
        code=NextActionCode.CLAIM,
        sentence="The operation is ready: claim it, mark it, then send once.",
        remedy="Claim it with the version read here.",
    )


def _by_dispatcher(facts: Facts, now: datetime) -> NextAction:
    next_try_at = facts.next_try_at
    opens_at = next_try_at if next_try_at is not None and next_try_at > now else None
    when = f" at {until_text(opens_at, now=now)}" if opens_at else ""
    return NextAction(
        code=NextActionCode.WAIT_FOR_SETTLEMENT,
        sentence=f"The console's dispatcher sends this one{when}.",
        remedy="Wait and observe.",
        opens_at=opens_at,
    )


def _after_unknown(facts: Facts, profile: Profile, now: datetime) -> NextAction:
    ends_at = facts.quarantine_ends_at(profile)
    is_quarantined = ends_at is not None and ends_at > now
    if facts.open_questions or (not profile.has_lookup and not is_quarantined):
        asked = ", ".join(sorted(facts.open_questions)) or Question.UNKNOWN_OUTCOME
        return NextAction(
            code=NextActionCode.ASK_PERSON,
            sentence=f"It is not known whether it happened; a person has to answer: {asked}.",
            remedy="Do not send. Point a person to this operation, then wait and observe.",
        )
    if not profile.has_lookup and ends_at is not None:
        return _waits(
            "It is not known whether it happened; evidence may still come until "
            f"{until_text(ends_at, now=now)}, then a person has to ask the receiver.",
            ends_at,
        )
    if facts.next_try_at is not None and facts.next_try_at > now:
        at = until_text(facts.next_try_at, now=now)
        return _waits(
            f"It is not known whether it happened; the receiver is looked up at {at}.",
            facts.next_try_at,
        )
    return _waits("It is not known whether it happened; the receiver is being looked up.", None)


def _waits(sentence: str, opens_at: datetime | None) -> NextAction:
    return NextAction(
        code=NextActionCode.WAIT_FOR_SETTLEMENT,
        sentence=sentence,
        remedy="Do not send. Ask for a lookup if you like, wait and observe.",
        opens_at=opens_at,
    )


def _held(facts: Facts) -> NextAction | None:
    if not facts.open_reviews and not facts.unexplained:
        return None
    questions = ", ".join(sorted(facts.open_reviews)) or "unexplained evidence"
    return NextAction(
        code=NextActionCode.ASK_PERSON,
        sentence=f"The operation is held until a person has answered: {questions}.",
        remedy="Do not send. Point a person to this operation, then wait and observe.",
    )


def _after_confirmed(facts: Facts, profile: Profile, now: datetime) -> NextAction:
    if facts.grade is None:
        raise ValueError("expected a grade with state confirmed, got none")
    questions = ", ".join(sorted(facts.open_reviews))
    doubt = f" A person is asked about it: {questions}." if questions else ""
    return NextAction(
        code=NextActionCode.DONE,
        sentence=f"It happened; known by {_KNOWN_BY[facts.grade]}.{doubt}",
        remedy="Read the stored receipt.",
    )


_KNOWN_BY = {
    Grade.RECEIPT: "the receiver's own receipt",
    Grade.RECEIPT_REPORTED: "a receipt that its sender reported",
    Grade.ATTESTED: "a receipt that people attested",
}


def _after_no(facts: Facts, profile: Profile, now: datetime) -> NextAction:
    held = _held(facts)
    if held:
        return held
    found = (
        "The receiver refused it"
        if facts.state is State.REFUSED
        else "People found that it did not happen"
    )
    return NextAction(
        code=NextActionCode.SUBMIT_NEW,
        sentence=f"{found}; nothing is sent under this key again.",
        remedy="If the effect is still wanted, submit a new operation that supersedes this one.",
    )


def _after_cancelled(facts: Facts, profile: Profile, now: datetime) -> NextAction:
    held = _held(facts)
    if held:
        return held
    if facts.cause is None:
        raise ValueError("expected a cause with state cancelled, got none")
    return _BY_CAUSE[facts.cause]


_BY_CAUSE = {
    Cause.EXPIRED: NextAction(
        code=NextActionCode.SUBMIT_NEW,
        sentence="Nobody decided in time: the request expired and nothing was sent.",
        remedy="If the effect is still wanted, submit a new operation that supersedes this one.",
    ),
    Cause.REJECTED: NextAction(
        code=NextActionCode.DONE,
        sentence="People rejected it, finally for this key: nothing was sent and nothing will be.",
        remedy="Go on without it, or talk to the people who rejected it.",
    ),
    Cause.WITHDRAWN: NextAction(
        code=NextActionCode.DONE,
        sentence="It was withdrawn: nothing was sent and nothing will be.",
        remedy="Go on without it.",
    ),
}


_BY_STATE = {
    State.AWAITING_APPROVAL: _after_awaiting,
    State.READY: _after_ready,
    State.SENT_UNKNOWN: _after_unknown,
    State.CONFIRMED: _after_confirmed,
    State.REFUSED: _after_no,
    State.NOT_EXECUTED: _after_no,
    State.CANCELLED: _after_cancelled,
}
