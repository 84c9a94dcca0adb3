"""Rule 3: what must hold before one more send, and before "this did not happen"."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from operations.protocol.facts import Facts, LookupFacts
from operations.protocol.profiles import Profile, dedup_ends_at
from operations.protocol.states import ApprovalStatus, LookupResult, Question, State
from operations.protocol.words import at_text, clock_text, until_text

FRESH_SECONDS = 60
# These two are the very questions that a release or a finding answers.
_ANSWERED_BY_DECIDING = frozenset({Question.UNKNOWN_OUTCOME, Question.STALLED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocker:
    """One reason why a choice is closed. `opens_at` is None when no clock alone opens it."""

    code: str
    sentence: str
    remedy: str
    opens_at: datetime | None = None


def release_blockers(
    facts: Facts,
    profile: Profile,
    now: datetime,
    *,
    second_person_agrees: bool,
    at_mark: bool = False,
) -> list[Blocker]:
    """Why the operation can't be released for one more send under the same key; empty: it can.

    Judged at the commit that opens the generation and, with `at_mark`, again at its mark, where
    the operation is `ready` and halts are the mark's own affair.
    """
    blockers = [] if at_mark else [*_not_unknown(facts), *_halted(facts)]
    if blockers and facts.state is not State.SENT_UNKNOWN:
        return blockers
    blockers += _no_lookup(profile) or _over_window(facts, profile, now)
    blockers += [*_rejected(facts), *_unexplained(facts, now), *_other_reviews(facts)]
    blockers += _in_flight(facts, profile, now) or _not_looked_up(facts, profile, now)
    blockers += _open_attempt(facts, profile, now)
    if release_needs_second(profile) and not second_person_agrees:
        blockers += [_second_person("A release for one more send")]
    return blockers


def release_needs_second(profile: Profile) -> bool:
    """Whether a release takes two people: always where no key protects from a second effect."""
    return profile.second_person or not profile.deduplicates


def not_executed_blockers(
    facts: Facts,
    profile: Profile,
    now: datetime,
    *,
    second_person_agrees: bool,
    has_named_answer: bool = True,
) -> list[Blocker]:
    """Why "this did not happen" can't be found; empty: it can. Rule 3 (a) to (c).

    Where the receiver has no lookup, (b) is replaced by two people and `has_named_answer`: who at
    the receiver said so.
    """
    blockers = list(_not_unknown(facts))
    if blockers:
        return blockers
    blockers = [*_unexplained(facts, now), *_other_reviews(facts)]
    blockers += _in_flight(facts, profile, now) or _not_looked_up(facts, profile, now)
    if not profile.has_lookup and not has_named_answer:
        blockers += [_unnamed(profile)]
    if not_executed_needs_second(profile) and not second_person_agrees:
        blockers += [_second_person("The finding that nothing happened")]
    return blockers


def not_executed_needs_second(profile: Profile) -> bool:
    """Whether the finding takes two people: always where the receiver can't be looked up."""
    return profile.second_person or not profile.has_lookup


def latest_answer(facts: Facts) -> LookupFacts | None:
    """The newest lookup that was answered, found or not; could_not_ask tells nothing."""
    answered = (row for row in facts.lookups if row.result is not LookupResult.COULD_NOT_ASK)
    return max(answered, key=lambda row: row.asked_at, default=None)


def _not_unknown(facts: Facts) -> Iterator[Blocker]:
    if facts.state is not State.SENT_UNKNOWN:
        yield Blocker(
            code="not_sent_unknown",
            sentence=f"The outcome is not in question: the operation is {facts.state}.",
            remedy="Decide from its present state.",
        )
    elif not facts.attempts:
        yield Blocker(
            code="no_attempt",
            sentence="No attempt is on record, so there is nothing to decide about.",
            remedy="Have the record checked: an unknown outcome needs an attempt.",
        )


def _rejected(facts: Facts) -> Iterator[Blocker]:
    """A rejection is final for its key (section 6); what was sent before it stays in question."""
    if facts.approval_status is ApprovalStatus.REJECTED:
        yield Blocker(
            code="rejected",
            sentence="People rejected another send, finally for this key.",
            remedy="Attest a receipt, or find that it was not executed.",
        )


def _halted(facts: Facts) -> Iterator[Blocker]:
    if facts.is_halted:
        yield Blocker(
            code="halted",
            sentence="Dispatch is halted here, so nothing released could be sent.",
            remedy="Have the halt lifted first.",
        )


def _no_lookup(profile: Profile) -> list[Blocker]:
    if profile.has_lookup:
        return []
    sentence = (
        f"Receiver {profile.receiver} can't be looked up, so nothing can show that the "
        "first request is not there."
    )
    remedy = "Ask the receiver, then attest its receipt or find that it was not executed."
    return [Blocker(code="no_lookup", sentence=sentence, remedy=remedy)]


def _over_window(facts: Facts, profile: Profile, now: datetime) -> list[Blocker]:
    """Rule 3 (d) for receivers with keys: the key must still protect when it is sent again."""
    marked_at = facts.first_marked_at
    if not profile.deduplicates or marked_at is None:
        return []
    ends_at = dedup_ends_at(profile, marked_at)
    earliest = max(now, facts.quarantine_ends_at(profile) or now)
    if ends_at is not None and earliest < ends_at:
        return []
    return [
        Blocker(
            code="window_over",
            sentence=_window_sentence(profile, marked_at, ends_at, now),
            remedy="Ask the receiver and find that it was not executed; then supersede it.",
        )
    ]


def _window_sentence(
    profile: Profile, marked_at: datetime, ends_at: datetime | None, now: datetime
) -> str:
    if ends_at is None:
        return (
            f"It is not known how long {profile.receiver} keeps a key, "
            "so a second request could be a second effect."
        )
    sum_of = (
        f"first mark {clock_text(marked_at, now=now)} + window "
        f"{profile.dedup_window_seconds} s - margin {profile.dedup_margin_seconds} s"
    )
    if ends_at <= now:
        return (
            f"{profile.receiver} has protected this key only until "
            f"{at_text(ends_at, now=now)} ({sum_of}); a second request could be a second effect."
        )
    return (
        f"{profile.receiver} protects this key only until {at_text(ends_at, now=now)} ({sum_of}), "
        "and a request may still be in flight then."
    )


def _unexplained(facts: Facts, now: datetime) -> Iterator[Blocker]:
    if facts.unexplained:
        newest = facts.unexplained[0]
        others = len(facts.unexplained) - 1
        more = f" ({others} more)" if others else ""
        yield Blocker(
            code="unexplained_evidence",
            sentence=(
                f"Evidence of {at_text(newest.received_at, now=now)} speaks of an effect "
                f"(channel {newest.channel}, status {newest.status}) and is not explained{more}."
            ),
            remedy="Find out whose effect it is; settle its review or set the evidence aside.",
        )


def _other_reviews(facts: Facts) -> Iterator[Blocker]:
    questions = sorted(facts.open_questions - _ANSWERED_BY_DECIDING)
    if questions:
        yield Blocker(
            code="review_open",
            sentence=f"An open review must be answered first: {', '.join(questions)}.",
            remedy="Settle that review.",
        )


def _in_flight(facts: Facts, profile: Profile, now: datetime) -> list[Blocker]:
    """Rule 3 (a): the quarantine after the last attempt."""
    last_at, ends_at = facts.last_call_at(profile), facts.quarantine_ends_at(profile)
    if last_at is None or ends_at is None or ends_at <= now:
        return []
    counts_from = "send deadline" if last_at == facts.send_deadline_at else "sender's end"
    return [
        Blocker(
            code="quarantine",
            sentence=(
                f"A request may still be in flight until {until_text(ends_at, now=now)} "
                f"({counts_from} {clock_text(last_at, now=now)} + delivery delay "
                f"{profile.delivery_delay_seconds} s + lookup lag {profile.lookup_lag_seconds} s)."
            ),
            remedy="Wait until then; a receipt that comes in meanwhile settles it.",
            opens_at=ends_at,
        )
    ]


def _not_looked_up(facts: Facts, profile: Profile, now: datetime) -> list[Blocker]:
    """Rule 3 (b): a lookup asked after the quarantine, at most 60 s ago, ended not_found."""
    ends_at = facts.quarantine_ends_at(profile)
    if not profile.has_lookup or ends_at is None:
        return []
    latest = latest_answer(facts)
    oldest_at = max(ends_at, now - timedelta(seconds=FRESH_SECONDS))
    if latest and latest.result is LookupResult.NOT_FOUND and latest.asked_at >= oldest_at:
        return []
    return [
        Blocker(
            code="no_fresh_lookup",
            sentence=_lookup_sentence(latest, ends_at, now),
            remedy=f"Look up now, then decide within {FRESH_SECONDS} s.",
        )
    ]


def _lookup_sentence(latest: LookupFacts | None, ends_at: datetime, now: datetime) -> str:
    if latest is None:
        return "No lookup has been answered yet, so nothing shows that the request is not there."
    asked = f"The latest answered lookup, asked at {at_text(latest.asked_at, now=now)},"
    if latest.result is LookupResult.FOUND:
        return f"{asked} found a record, so the request did arrive."
    if latest.asked_at < ends_at:
        return (
            f"{asked} found nothing, but a request could still arrive then; "
            f"only one asked from {until_text(ends_at, now=now)} on counts."
        )
    age = int((now - latest.asked_at).total_seconds())
    return f"{asked} found nothing, but that is {age} s ago; at most {FRESH_SECONDS} s count."


def _open_attempt(facts: Facts, profile: Profile, now: datetime) -> Iterator[Blocker]:
    """Rule 3 (d) for receivers without keys: nobody may still be sending."""
    open_ones = [attempt for attempt in facts.attempts if not attempt.is_closed]
    if profile.deduplicates or not open_ones:
        return
    marked = at_text(open_ones[-1].marked_at, now=now)
    yield Blocker(
        code="attempt_open",
        sentence=(
            f"The sender of attempt {open_ones[-1].generation} (marked {marked}) never reported "
            f"an end, and {profile.receiver} has no keys that would stop a second effect."
        ),
        remedy="Make sure that the process is gone; two people record it and close the attempt.",
    )


def _unnamed(profile: Profile) -> Blocker:
    return Blocker(
        code="no_lookup",
        sentence=(
            f"Receiver {profile.receiver} can't be looked up, "
            "and nobody there is named who said that nothing happened."
        ),
        remedy=f"Ask the receiver ({profile.contact or 'no contact is configured'}) "
        "and enter who answered.",
    )


def _second_person(what: str) -> Blocker:
    return Blocker(
        code="needs_second_person",
        sentence=f"{what} takes two people, and no second person has agreed.",
        remedy="Propose it; a second person has 30 minutes to agree.",
    )
