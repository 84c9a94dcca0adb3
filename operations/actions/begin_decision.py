"""What every decision of a person begins and ends with: who, on which version, under which lock."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User

from operations import clock
from operations.actions.apply_event import lock_operation
from operations.actions.approval_expiry import expire_overdue
from operations.actions.closed_choice import closed
from operations.actions.decision_tokens import is_repeat, remember
from operations.actions.people import person_of
from operations.actions.review_slot import free_review_slot, holds_case, take_review_slot
from operations.actors import Actor
from operations.models import Approval, Operation
from operations.protocol.choices import Choice, Facts, choices
from operations.protocol.profiles import Profile
from operations.protocol.refusals import StaleVersion
from operations.protocol.states import SETTLED_STATES, ChoiceCode, ClaimEnd
from operations.queries.changes import changes_since
from operations.queries.facts import facts_of
from operations.registry import configuration, profile_of
from operations.roles import Ability, require

# A decision holds the slot only while its transaction runs.
DECISION_SECONDS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A decision under way: the operation, its row locked, as this person may judge it at `at`.

    `is_repeat`: this very form was carried out before, so there is nothing left to do.
    `proposal` is the two-person choice that this person agrees to.
    """

    operation: Operation
    actor: Actor
    user: User
    act: str
    decision_id: str
    profile: Profile
    at: datetime
    known: Facts | None = None
    offered: tuple[Choice, ...] = ()
    is_repeat: bool = False
    had_case: bool = False
    proposal: Approval | None = None

    @property
    def facts(self) -> Facts:
        """The facts, as read under the lock. Raises ValueError for a repeat, which has none."""
        if self.known is None:
            raise ValueError("expected a decision that was judged, got a repeat")
        return self.known


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What came of an act: done, or proposed and waiting for a second person.

    `follow_up` is the new operation of a supersession or a compensation.
    """

    operation: Operation
    proposal: Approval | None = None
    is_repeat: bool = False
    follow_up: Operation | None = None


def begin_decision(
    *,
    operation_id: UUID,
    actor: Actor,
    act: str,
    ability: Ability | None,
    version: int | None,
    decision_id: str,
    choice: ChoiceCode | None = None,
    proposal: Approval | None = None,
    slot_seconds: int = DECISION_SECONDS,
) -> Begun:
    """Lock the operation and take its free review slot, in the caller's transaction.

    `ability` None: the caller has asked for the right role itself. Raises NotPermitted, NotFound,
    StaleVersion with what changed (rule 8), CaseHeld (rule 7), and ChoiceClosed when `choice` is
    not open.
    """
    user = person_of(actor)
    if ability is not None:
        require(user, ability)
    operation = lock_operation(operation_id)
    at = clock.now()
    begun = Begun(
        operation=operation,
        actor=actor,
        user=user,
        act=act,
        decision_id=decision_id,
        profile=profile_of(operation),
        at=at,
        is_repeat=is_repeat(decision_id, act=act, user=user, operation=operation),
        had_case=holds_case(operation, user, at),
        proposal=proposal,
    )
    if begun.is_repeat:
        return begun
    require_seen_version(operation, version)
    expire_overdue(operation, at=at)
    take_review_slot(operation, user, at=at, lease_seconds=slot_seconds)
    return judge(begun, choice=choice)


def judge(begun: Begun, *, choice: ChoiceCode | None = None) -> Begun:
    """The same decision on facts read now. Raises ChoiceClosed when `choice` is not open."""
    facts = facts_of(begun.operation, viewer=begun.user.username)
    offered = tuple(choices(facts, begun.profile, begun.at))
    if choice is not None:
        _require_open(offered, choice)
    return replace(begun, known=facts, offered=offered)


def finish_decision(begun: Begun, *, frees_case: bool = False) -> None:
    """Remember the form's token; free the slot unless the person has the case and it goes on.

    `frees_case`: a second person has to answer now, so the first one lets go.
    """
    operation, at = begun.operation, begun.at
    remember(begun.decision_id, act=begun.act, user=begun.user, operation=operation, at=at)
    leave_case(begun, frees_case=frees_case)


def leave_case(begun: Begun, *, frees_case: bool = False) -> None:
    """Free the slot that this decision took, also when it ended in a refusal that is kept."""
    operation = begun.operation
    is_settled = operation.state in SETTLED_STATES
    is_over = is_settled and not operation.reviews.filter(closed_at=None).exists()
    if frees_case or is_over or not begun.had_case:
        free_review_slot(operation, end=ClaimEnd.FINISHED, at=begun.at)


def basis(begun: Begun) -> dict[str, Any]:
    """What an entry keeps of how a decision was made: the choices offered, the lookup it rests on,
    the configuration in force, and who proposed it."""
    latest = max(begun.facts.lookups, key=lambda row: row.asked_at, default=None)
    kept: dict[str, Any] = {
        "offered": [
            {"code": str(row.code), "is_open": row.is_open, "closed_code": row.closed_code}
            for row in begun.offered
        ],
        "lookup": latest
        and {"asked_at": latest.asked_at.isoformat(), "result": str(latest.result)},
        "configuration": configuration().digest,
    }
    if begun.proposal is not None:
        kept |= {"proposal": begun.proposal.pk, "proposed_by": begun.proposal.requested_by_id}
    return kept


def require_seen_version(operation: Operation, version: int | None) -> None:
    """Rule 8. Raises StaleVersion, whose `changes` say what happened since."""
    if version is None or version == operation.version:
        return
    raise StaleVersion(
        expected=operation.version,
        got=version,
        operation_id=operation.pk,
        changes=changes_since(operation, version),
    )


def _require_open(offered: Iterable[Choice], code: ChoiceCode) -> None:
    found = next(row for row in offered if row.code == code)
    if not found.is_open:
        raise closed(code, found.closed_code or "", found.sentence, found.remedy, found.opens_at)
