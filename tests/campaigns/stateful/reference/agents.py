"""What agents and the dispatcher may do, and what comes of it (rules 1, 4, 6, 7)."""

from operations.protocol.states import ApprovalStatus as A
from operations.protocol.states import Channel
from operations.protocol.states import Question as Q
from operations.protocol.states import State as S
from operations.protocol.states import Verdict as V
from tests.campaigns.stateful.reference.book import Book
from tests.campaigns.stateful.reference.evidence import keep_stale_report, receive, refuse
from tests.campaigns.stateful.reference.record import Attempt, Claim, Record, Said
from tests.campaigns.stateful.reference.rule3 import release_reasons


def claim(record: Record, *, agent: str, token: int, minutes: int, is_stale: bool) -> str:
    """`token` is the one that was given, if one was."""
    if agent != record.agent:
        return "not_found"
    if record.by_console or record.state is not S.READY or record.questions:
        return "not_claimable"
    if record.claim:
        return "already_claimed"
    if is_stale:
        return "stale_version"
    take(record, agent=agent, token=token, minutes=minutes)
    return ""


def take(record: Record, *, agent: str, token: int, minutes: int) -> None:
    record.unmarked += agent != "reconciler"
    until = record.book.now + minutes
    purpose = "reconcile" if agent == "reconciler" else "dispatch"
    record.claims.append(
        Claim(token=token, agent=agent, purpose=purpose, minutes=minutes, until=until)
    )


def is_current(record: Record, token: int) -> bool:
    last = record.claims[-1] if record.claims else None
    return last is not None and last.token == token and not last.is_void


def is_own(record: Record, *, agent: str, token: int) -> bool:
    return any(each.token == token and each.agent == agent for each in record.claims)


def renew(record: Record, *, agent: str, token: int) -> str:
    if agent != record.agent:
        return "not_found"
    attempt = attempt_under(record, token)
    is_late = attempt is not None and attempt.deadline <= record.book.now
    if not is_own(record, agent=agent, token=token) or not is_current(record, token):
        return "stale_claim"
    if record.claim is None or is_late:
        return "stale_claim"
    record.claim.until = record.book.now + record.claim.minutes
    return ""


def give_back(record: Record, *, agent: str, token: int) -> str:
    if agent != record.agent:
        return "not_found"
    if not is_own(record, agent=agent, token=token) or not is_current(record, token):
        return "stale_claim"
    record.void_claim()
    return ""


def mark(record: Record, *, agent: str, token: int) -> str:
    """The send may leave only on ""."""
    code = _not_markable(record, agent=agent, token=token) or _not_allowed(record)
    if code or record.claim is None:
        return code
    record.move(S.SENT_UNKNOWN)
    now = record.book.now
    attempt = Attempt(
        generation=record.generation,
        token=token,
        marked=now,
        deadline=min(now + 1, record.claim.until),
    )
    record.attempts.append(attempt)
    return ""


def _not_markable(record: Record, *, agent: str, token: int) -> str:
    if agent not in (record.agent, "dispatcher"):
        return "not_found"
    if record.by_console is not (agent == "dispatcher"):
        return "not_claimable"
    if any(attempt.generation == record.generation for attempt in record.attempts):
        return "already_marked"
    if record.state is not S.READY:
        # Until its expiry is written down, the product still names the approval that is missing.
        is_asked = record.state is S.AWAITING_APPROVAL or record.is_unwritten
        return "approval_required" if is_asked else "not_claimable"
    if not is_own(record, agent=agent, token=token) or not is_current(record, token):
        return "stale_claim"
    return ""


def _not_allowed(record: Record) -> str:
    """What people, a halt and time have to say; a release or a yes that is over goes back."""
    if record.place.name in record.book.halted:
        return "halted"
    if record.claim is None:
        return "stale_claim"
    if not _may_send(record):
        record.ask_people_again()
        return "approval_required"
    if record.generation > 1 and release_reasons(record, at_mark=True):
        record.turn_back()
        return "held"
    return "held" if record.is_held else ""


def _may_send(record: Record) -> bool:
    request = record.request
    if request is None:
        return True
    is_given = request.status is A.GRANTED and request.generation == record.generation
    return is_given and request.valid_until > record.book.now


def attempt_under(record: Record, token: int) -> Attempt | None:
    return next((each for each in record.attempts if each.token == token), None)


def finish(record: Record, token: int, outcome: str) -> bool:
    """The first end counts; the claim is over, its token still current."""
    attempt = attempt_under(record, token)
    is_first = attempt is not None and not attempt.outcome
    if is_first and attempt:
        attempt.outcome, attempt.closed = outcome, record.book.now
    if is_current(record, token) and record.claim:
        record.claim.until = record.book.now
    return is_first


def report_receipt(record: Record, said: Said, *, agent: str, token: int) -> tuple[str, V | None]:
    if agent not in (record.agent, "dispatcher"):
        return "not_found", None
    if not is_own(record, agent=agent, token=token):
        return "stale_claim", None
    is_stale = not is_current(record, token)
    by_agent = agent != "dispatcher"
    verdict = receive(record, said, Channel.RESPONSE, is_stale=is_stale, by_agent=by_agent)
    if not is_stale:
        finish(record, token, "receipt")
    if is_stale and verdict is not V.ALREADY_CONFIRMED:
        return "stale_claim", verdict
    return "receipt_mismatch" if verdict is V.MISMATCH else "", verdict


def report_refusal(record: Record, *, agent: str, token: int, word: str) -> str:
    """`word` is definite, other or duplicate."""
    if agent not in (record.agent, "dispatcher"):
        return "not_found"
    if not is_own(record, agent=agent, token=token):
        return "stale_claim"
    if attempt_under(record, token) is None:
        return "not_claimable"
    if not is_current(record, token):
        return keep_stale_report(record)
    finish(record, token, "refused")
    is_only = record.state is S.SENT_UNKNOWN and len(record.attempts) == 1
    if word == "definite" and is_only:
        refuse(record)
        return ""
    record.grow()
    if word == "duplicate":
        record.ask(Q.DUPLICATE_ANSWER)
    return ""


def report_end(record: Record, *, agent: str, token: int, generation: int, outcome: str) -> str:
    if agent not in (record.agent, "dispatcher"):
        return "not_found"
    if not is_own(record, agent=agent, token=token):
        return "stale_claim"
    attempt = attempt_under(record, token)
    if attempt is None or attempt.generation != generation:
        return "not_found"
    if not is_current(record, token):
        return keep_stale_report(record)
    finish(record, token, outcome)
    return ""


def request_lookup(record: Record, *, agent: str) -> str:
    if agent != record.agent:
        return "not_found"
    if not record.place.lookup:
        return "no_lookup"
    return "" if record.state in (S.SENT_UNKNOWN, S.CONFIRMED) else "not_claimable"


def cancel(record: Record, *, agent: str, is_stale: bool) -> str:
    if agent != record.agent:
        return "not_found"
    if is_stale:
        return "stale_version"
    if record.attempts or record.state not in (S.READY, S.AWAITING_APPROVAL):
        return "choice_closed"
    withdraw(record)
    return ""


def withdraw(record: Record) -> None:
    record.void_claim()
    record.void_request(A.WITHDRAWN)
    record.move(S.CANCELLED, "withdrawn")
    record.settled()


def webhook(book: Book, key: str, place: str, said: Said) -> str:
    """What the receiver's own channel brings; its outcome."""
    record = book.records.get(key)
    if record is None or record.place.name != place:
        return "unmatched"
    return receive(record, said, Channel.WEBHOOK)
