"""Which answers to many lookups are plain, and what each of them writes.

Plain: the claim is still this lookup's, no person is asked about the operation nor is to be, and
the receipt, if there is one, confirms it or bears it out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from operations.actions.keep_receipt import receipt_row
from operations.actions.weigh_receipt import confirmation, corroborates, weigh_receipt
from operations.actors import Actor
from operations.models import Lookup, Operation, Receipt
from operations.protocol.profiles import Profile
from operations.protocol.receipts import Receipt as ReceiptValue
from operations.protocol.states import Channel, Grade, LookupResult, State, Verdict
from operations.protocol.transitions import Event, next_state
from operations.queries.lookup_standings import LookupStanding
from operations.receivers.base import Found, Observation
from reconciliation.actions.looked import LOOKED_UP_STATES
from reconciliation.actions.lookup_row import (
    Asked,
    lookup_row,
    next_try_at,
    unasked_since,
)
from reconciliation.protocol.verdicts import Looked, conclude

RECONCILER = Actor.system("reconciler")


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """One answer beside its operation, whose row is locked, at the instant `at`."""

    operation: Operation
    asked: Asked
    found: Sequence[ReceiptValue]
    seen: Observation
    standing: LookupStanding
    last_call_at: datetime
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """What one plain answer writes; the operation's columns are changed in memory already.

    `event` is "" where the lookup moved nothing; `state_before` and `version_before` are as the
    row still has them.
    """

    operation: Operation
    lookup: Lookup
    seen: Observation
    receipt: Receipt | None
    event: str
    state_before: str
    version_before: int


def plain_lookup(met: Met, profile: Profile) -> Plain | None:
    """What the answer writes, or None where it is not plain."""
    operation, before, version = met.operation, met.operation.state, met.operation.version
    if not _is_ours(met) or met.standing.is_before_people:
        return None
    receipt, event = None, ""
    if isinstance(met.seen, Found):
        if len(met.found) != 1 or met.standing.has_record:
            return None
        receipt, event = _take_in(met, profile)
        if not event:
            return None
    lookup = lookup_row(operation, met.asked, met.seen, receipt=receipt, at=met.at)
    if not _schedule(met, lookup, profile):
        return None
    return Plain(
        operation=operation,
        lookup=lookup,
        seen=met.seen,
        receipt=receipt,
        event=event,
        state_before=before,
        version_before=version,
    )


def _is_ours(met: Met) -> bool:
    operation = met.operation
    is_held = operation.claim_token == met.asked.token and not operation.claim_given_back
    is_same = operation.generation == met.asked.generation
    return is_held and is_same and operation.state in LOOKED_UP_STATES


def _take_in(met: Met, profile: Profile) -> tuple[Receipt, str]:
    """The receipt's row, and the event that it brings: "" for any but the two plain ones."""
    operation, channel = met.operation, Channel.LOOKUP
    judgement, follows = weigh_receipt(
        operation,
        met.found[0],
        profile,
        channel=channel,
        attempt_count=met.standing.attempt_count,
        is_effect_taken=met.standing.is_effect_taken,
    )
    row = receipt_row(
        operation,
        met.found[0],
        channel=channel,
        raw=met.seen.raw,
        actor=RECONCILER,
        at=met.at,
        judgement=judgement,
        follows=follows,
    )
    if follows.event == Event.CONFIRM:
        state = next_state(State(operation.state), Event.CONFIRM)
        changes = confirmation(row, profile, channel=channel, actor=RECONCILER, at=met.at)
        changes |= {"state": str(state), "state_since": met.at, "claims_without_mark": 0}
        event = str(Event.CONFIRM)
    elif follows.verdict == Verdict.ALREADY_CONFIRMED and corroborates(operation, row, channel):
        changes, event = {"grade": str(Grade.RECEIPT)}, "corroborate"
    else:
        return row, ""
    changes |= {"version": operation.version + 1, "updated_at": met.at}
    for name, value in changes.items():
        setattr(operation, name, value)
    return row, event


def _schedule(met: Met, lookup: Lookup, profile: Profile) -> bool:
    """When to look again, as the verdicts say; False where they ask a person."""
    operation, since = met.operation, unasked_since(met.operation, lookup)
    looked = Looked(
        state=State(operation.state),
        grade=Grade(operation.grade) if operation.grade else None,
        state_since=operation.state_since,
        last_call_at=met.last_call_at,
        result=LookupResult(lookup.result),
        asked_at=lookup.asked_at,
        could_not_ask_since=since,
        open_questions=frozenset(),
        detail=lookup.detail,
    )
    conclusion = conclude(looked, profile)
    operation.could_not_ask_since = since
    operation.next_try_at = next_try_at(
        profile,
        conclusion=conclusion,
        seen=met.seen,
        look_count=met.standing.look_count + 1,
        last_call_at=met.last_call_at,
        at=met.at,
    )
    return conclusion.question is None
