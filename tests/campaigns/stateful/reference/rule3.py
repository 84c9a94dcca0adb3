"""What people may do with an operation, and every true reason why not (rule 3, section 5)."""

from operations.protocol.states import ApprovalStatus as A
from operations.protocol.states import ChoiceCode as C
from operations.protocol.states import Question as Q
from operations.protocol.states import State as S
from tests.campaigns.stateful.reference.record import OPEN, WITHOUT_EFFECT, Record

PROPOSED = (C.ATTEST, C.NOT_EXECUTED, C.RELEASE, C.SET_ASIDE, C.SETTLE_REVIEW)
NO_DECISION = (C.LOOK_UP, C.NOTE)


def reasons(record: Record, choice: C, *, viewer: str) -> set[str]:
    """Why `viewer` can't do it now; empty: it is open."""
    found = set(_OWN_REASONS[choice](record)) if choice in _OWN_REASONS else set()
    if choice in PROPOSED and open_proposal(record):
        found.add("proposal_open")
    if choice not in NO_DECISION and holder(record) not in ("", viewer):
        found.add("held_by_other")
    return found


def open_proposal(record: Record) -> bool:
    now = record.book.now
    return any(each.status is A.OPEN and each.until > now for each in record.proposals)


def holder(record: Record) -> str:
    """Who has the case."""
    who, until = record.slot or ("", 0)
    return who if until > record.book.now else ""


def release_reasons(record: Record, *, at_mark: bool = False) -> set[str]:
    """Rule 3 (a) to (d), at the commit that opens the generation and at its mark."""
    place, found = record.place, set()
    if not at_mark:
        found = {"halted"} if place.name in record.book.halted else set()
        if record.state is not S.SENT_UNKNOWN:
            return {"not_sent_unknown"} | found
    if record.request and record.request.status is A.REJECTED:
        found.add("rejected")
    if not place.lookup:
        found.add("no_lookup")
    return found | _not_protected(record) | _unanswered(record) | _not_shown(record)


def _not_protected(record: Record) -> set[str]:
    """Rule 3 (d): its key still protects, or nobody can still be sending."""
    window, attempts = record.place.window, record.attempts
    if window is None:
        return set() if all(attempt.is_closed for attempt in attempts) else {"attempt_open"}
    ends = min(attempt.marked for attempt in attempts) + window
    return {"window_over"} if max(record.book.now, record.quarantine) >= ends else set()


def _unanswered(record: Record) -> set[str]:
    found = {"unexplained_evidence"} if record.unexplained else set()
    others = set(record.reviews) - {Q.UNKNOWN_OUTCOME, Q.STALLED}
    return found | ({"review_open"} if others else set())


def _not_shown(record: Record) -> set[str]:
    """Rule 3 (a) and (b)."""
    now = record.book.now
    if record.quarantine > now:
        return {"quarantine"}
    # Within 60 s of it; in whole minutes that is the same one.
    is_fresh = record.answer == ("not_found", now)
    return set() if is_fresh or not record.place.lookup else {"no_fresh_lookup"}


def _not_executed(record: Record) -> set[str]:
    if record.state is not S.SENT_UNKNOWN:
        return {"not_sent_unknown"}
    return _unanswered(record) | _not_shown(record)


def _look_up(record: Record) -> set[str]:
    if not record.place.lookup:
        return {"no_lookup"}
    return set() if record.state in (S.SENT_UNKNOWN, S.CONFIRMED) else {"wrong_state"}


def _attest(record: Record) -> set[str]:
    if record.state not in OPEN:
        return {"wrong_state"}
    return set() if record.attempts else {"no_attempt"}


def supersede_reasons(record: Record) -> set[str]:
    if record.state not in WITHOUT_EFFECT:
        return {"wrong_state"}
    return {"review_open"} if record.is_held else set()


def _compensate(record: Record) -> set[str]:
    return set() if record.state is S.CONFIRMED else {"wrong_state"}


def _cancel(record: Record) -> set[str]:
    if record.state not in OPEN:
        return {"wrong_state"}
    return {"has_attempt"} if record.attempts else set()


def _take(record: Record) -> set[str]:
    asks = record.state in OPEN or record.reviews or record.unexplained
    return set() if asks else {"wrong_state"}


def _hand_back(record: Record) -> set[str]:
    return set() if holder(record) else {"wrong_state"}


def _set_aside(record: Record) -> set[str]:
    return set() if record.unexplained else {"wrong_state"}


def _close_attempt(record: Record) -> set[str]:
    if not record.attempts:
        return {"no_attempt"}
    if record.state not in OPEN or all(attempt.is_closed for attempt in record.attempts):
        return {"wrong_state"}
    return {"attempt_open"} if record.deadline > record.book.now else set()


def _settle_review(record: Record) -> set[str]:
    return set() if set(record.reviews) - {Q.UNKNOWN_OUTCOME} else {"wrong_state"}


_OWN_REASONS = {
    C.LOOK_UP: _look_up,
    C.ATTEST: _attest,
    C.NOT_EXECUTED: _not_executed,
    C.RELEASE: release_reasons,
    C.SUPERSEDE: supersede_reasons,
    C.COMPENSATE: _compensate,
    C.CANCEL: _cancel,
    C.TAKE: _take,
    C.HAND_BACK: _hand_back,
    C.SET_ASIDE: _set_aside,
    C.CLOSE_ATTEMPT: _close_attempt,
    C.SETTLE_REVIEW: _settle_review,
}
