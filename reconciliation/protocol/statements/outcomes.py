"""What a row of a statement comes to, beside the record: one pure decision a row (rule 4)."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b
from uuid import UUID

from operations.protocol.payloads import JSON, MISSING, Difference, Money, digest
from operations.protocol.profiles import Profile
from operations.protocol.receipts import Judgement, Receipt, judge
from operations.protocol.settlement import Evidence, consequence
from operations.protocol.states import Channel, Grade, ReceiptStatus, State, Verdict
from operations.protocol.transitions import Event


class Road(StrEnum):
    """How a file came: fetched by a machine of ours, or uploaded by a person (section 2)."""

    MACHINE = "machine"
    PERSON = "person"


CHANNEL_OF = {Road.MACHINE: Channel.STATEMENT, Road.PERSON: Channel.PERSON}
GRADE_OF = {Road.MACHINE: Grade.RECEIPT, Road.PERSON: Grade.ATTESTED}


class Outcome(StrEnum):
    """What a row would do, or did. The first three change what an operation is or how it is known.

    `already`: its operation is confirmed with this effect. `known`: the same word is kept.
    `repeated`: the file has an equal row above it, which may be a second effect. `left`: an exact
    match that was not applied, with the reason.
    """

    CONFIRMS = "confirms"
    REFUSES = "refuses"
    CORROBORATES = "corroborates"
    ALREADY = "already"
    KNOWN = "known"
    MISMATCH = "mismatch"
    LATE = "late"
    NOT_PROOF = "not_proof"
    KEPT = "kept"
    UNMATCHED = "unmatched"
    REPEATED = "repeated"
    UNREADABLE = "unreadable"
    LEFT = "left"


# Nothing is written for these, now or later: a confirmed operation and a kept receipt stay.
SETTLED_ROWS = frozenset({Outcome.ALREADY, Outcome.KNOWN, Outcome.UNREADABLE})
# What a row does first in a file, which rows below it then meet.
SETTLING = {Outcome.CONFIRMS: State.CONFIRMED, Outcome.REFUSES: State.REFUSED}
# Kept without an operation.
ORPHANS = frozenset({Outcome.UNMATCHED, Outcome.REPEATED})
_BY_VERDICT = {
    Verdict.CONFIRMED: Outcome.CONFIRMS,
    Verdict.ALREADY_CONFIRMED: Outcome.ALREADY,
    Verdict.MISMATCH: Outcome.MISMATCH,
    Verdict.LATE: Outcome.LATE,
    Verdict.NOT_PROOF: Outcome.NOT_PROOF,
    Verdict.KEPT: Outcome.KEPT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """An operation as a row meets it. `payload` is parsed; `grade` and `effect_id` may be ""."""

    id: UUID
    key: str
    environment: str
    payload: JSON
    money: Money | None
    state: State
    grade: str
    effect_id: str
    version: int
    attempt_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """A row's worth: what it comes to, and where it differs."""

    outcome: Outcome
    differences: tuple[Difference, ...] = ()


@dataclass(frozen=True, slots=True)
class Content:
    """What a row says, to find it again: equal contents are the same words, said once or more."""

    key: str
    status: str
    effect_id: str
    payload_digest: str
    occurred_at: datetime | None
    fingerprint: UUID = field(init=False, compare=False)

    def __post_init__(self) -> None:
        at = self.occurred_at.timestamp() if self.occurred_at else ""
        text = "\n".join((self.key, self.status, self.effect_id, self.payload_digest, str(at)))
        found = UUID(bytes=blake2b(text.encode(), digest_size=16).digest())
        object.__setattr__(self, "fingerprint", found)


def content_of(receipt: Receipt) -> Content:
    """The words of a receipt."""
    return Content(
        receipt.operation_key,
        str(receipt.status),
        receipt.effect_id or "",
        "" if receipt.payload is MISSING else digest(receipt.payload),
        receipt.occurred_at,
    )


def weigh(
    receipt: Receipt, standing: Standing, *, profile: Profile, road: Road, is_effect_taken: bool
) -> Weighed:
    """What a row comes to for its operation, by the judge that every receipt meets.

    `is_effect_taken`: its effect confirmed another operation.
    """
    judgement = judge(
        receipt,
        key=standing.key,
        environment=standing.environment,
        payload=standing.payload,
        profile=profile,
        money=standing.money,
    )
    follows = consequence(
        _evidence(receipt, standing, judgement, road=road, is_effect_taken=is_effect_taken)
    )
    refuses = follows.event is Event.REFUSE
    outcome = Outcome.REFUSES if refuses else _BY_VERDICT[follows.verdict]
    if outcome is Outcome.ALREADY and _raises_the_grade(standing, judgement, road):
        outcome = Outcome.CORROBORATES
    return Weighed(outcome=outcome, differences=judgement.differences)


def outcome_of(verdict: Verdict, *, state: State, was: State) -> Outcome:
    """What came of a row that was recorded: by its verdict, and by what its operation became."""
    if verdict is Verdict.KEPT and state is State.REFUSED and was is not State.REFUSED:
        return Outcome.REFUSES
    return _BY_VERDICT[verdict]


def says_nothing_new(receipt: Receipt) -> bool:
    """Whether an equal row below it is no sign of a second effect: only a yes speaks of one."""
    return receipt.status is not ReceiptStatus.CONFIRMED


def _evidence(
    receipt: Receipt,
    standing: Standing,
    judgement: Judgement,
    *,
    road: Road,
    is_effect_taken: bool,
) -> Evidence:
    has_both = bool(standing.effect_id and receipt.effect_id)
    return Evidence(
        state=standing.state,
        has_attempt=standing.attempt_count > 0,
        is_only_attempt=standing.attempt_count == 1,
        channel=CHANNEL_OF[road],
        judged=judgement.verdict,
        status=receipt.status,
        has_differences=bool(judgement.differences),
        is_same_effect=standing.effect_id == receipt.effect_id if has_both else None,
        is_effect_taken=is_effect_taken,
        is_only_reported=standing.grade == Grade.RECEIPT_REPORTED,
    )


def _raises_the_grade(standing: Standing, judgement: Judgement, road: Road) -> bool:
    """As record_receipt does: a receiver's own word makes a reported or attested one `receipt`."""
    is_enough = standing.grade == Grade.RECEIPT_REPORTED or not judgement.differences
    return road is Road.MACHINE and standing.grade != Grade.RECEIPT and is_enough
