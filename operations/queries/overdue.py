"""Operations that nobody took for too long, or that were taken too often (section 2, stalled)."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from operations.models import Approval, Lookup, Operation, Review
from operations.protocol.states import (
    OPEN_STATES,
    ApprovalStatus,
    ApprovalSubject,
    Executor,
    LookupResult,
    State,
)
from operations.queries.due import is_free, is_halted
from operations.receivers.base import ReceiverConfig
from operations.registry import configuration

# One that waits so many times its limit is shown, whatever its receiver answers to others.
PATIENCE = 12


def perhaps_stalled(*, now: datetime, limit: int) -> list[UUID]:
    """Operations that may deserve a `stalled` review by their receiver's limits, longest due first.

    Due for too long though its receiver's queue does not move, claimed too often, due at no time
    at all though nobody is asked, or waiting for an approval that nobody is asked for. Those that
    a person is asked about are left out, and unsent ones under a halt: the halt is why they wait.
    So are those of drills, which end by their own time limits.
    """
    over = Q(pk__in=[])
    for config in configuration().receivers.values():
        over |= _at(config) & _over_its_limit(config, now)
    asked = Exists(Review.objects.filter(operation=OuterRef("pk"), closed_at=None))
    halted = Q(state=State.READY) & is_halted()
    open_ones = Operation.objects.filter(state__in=OPEN_STATES)
    found = open_ones.filter(over, is_free(now), ~asked).exclude(halted)
    return list(found.order_by("next_try_at").values_list("pk", flat=True)[:limit])


def _at(config: ReceiverConfig) -> Q:
    return Q(environment=config.environment, receiver=config.name)


def _over_its_limit(config: ReceiverConfig, now: datetime) -> Q:
    limit = timedelta(seconds=config.profile.due_limit_seconds)
    since = now - limit
    is_overdue = Q(next_try_at__lte=since) | Q(next_try_at=None, updated_at__lte=since)
    unsent = Q(state=State.READY) & (
        Q(claims_without_mark__gte=config.profile.claims_before_stalled)
        | Q(executor=Executor.CONSOLE) & is_overdue
    )
    unasked = Q(state=State.AWAITING_APPROVAL, updated_at__lte=since) & ~Q(_is_asked_for())
    # A long queue that moves alarms nobody, unless one is left behind in it.
    is_left_behind = Q(next_try_at=None) | Q(next_try_at__lte=now - limit * PATIENCE)
    unknown = Q(state=State.SENT_UNKNOWN) & is_overdue
    return unsent | unasked | unknown & (is_left_behind | ~Q(_answers(config, since)))


def _answers(config: ReceiverConfig, since: datetime) -> Exists:
    """Whether the receiver has answered a lookup since then."""
    answered = Lookup.objects.filter(
        ~Q(result=LookupResult.COULD_NOT_ASK),
        asked_at__gte=since,
        operation__environment=config.environment,
        operation__receiver=config.name,
    )
    return Exists(answered)


def _is_asked_for() -> Exists:
    requests = Approval.objects.filter(operation=OuterRef("pk"), status=ApprovalStatus.OPEN)
    return Exists(requests.exclude(subject=ApprovalSubject.PROPOSAL))
