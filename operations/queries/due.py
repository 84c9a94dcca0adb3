"""What the sweeps look for: rows that are due and that nobody holds. Each reads a partial index."""

from collections.abc import Sequence
from datetime import datetime
from itertools import zip_longest
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from operations.models import Attempt, Operation, Review
from operations.protocol.states import Executor, Question, State
from operations.queries.halts import halts_in_force


def due_for_dispatch(*, now: datetime, limit: int) -> list[UUID]:
    """Operations that the console may send now, the longest due first.

    Halted ones and those with an open question are left out, so that they block nobody behind
    them.
    """
    questions = Review.objects.filter(operation=OuterRef("pk"), closed_at=None).exclude(
        question=Question.STALLED
    )
    due = Operation.objects.filter(due_and_free(now), state=State.READY, executor=Executor.CONSOLE)
    return _ids(due.filter(~Exists(questions)).exclude(is_halted()), limit)


def due_for_reconcile(*, now: datetime, limit: int) -> list[UUID]:
    """Unknown outcomes whose lookup is due, then reported confirmations; none still in sending.

    The longest due first, but by turns of the receivers, so that the queue of one that is slow
    keeps none of another's waiting. Every fourth is a confirmation, so that no flood of unknown
    outcomes leaves an agent's word unasked for ever: at a busy worker the hints at the end of a
    batch are too old before their turn comes.
    """
    due = Operation.objects.filter(due_and_free(now))
    unknown = due.filter(state=State.SENT_UNKNOWN)
    reported = due.filter(state=State.CONFIRMED, next_try_at__isnull=False)
    in_sending = Exists(Attempt.objects.filter(operation=OuterRef("pk"), send_deadline_at__gt=now))
    found = _by_turns(unknown.filter(~in_sending), limit)
    theirs = max(limit - len(found), limit // 4)
    told = _by_turns(reported.filter(~in_sending), theirs)
    return _every_fourth(found[: limit - len(told)], told)


def by_receiver(due: Sequence[UUID]) -> dict[tuple[str, str], list[UUID]]:
    """The same operations by (environment, receiver), both in the order of the first of each."""
    found = Operation.objects.filter(pk__in=due).values_list("pk", "environment", "receiver")
    places = {pk: (environment, receiver) for pk, environment, receiver in found}
    groups: dict[tuple[str, str], list[UUID]] = {}
    for operation_id in due:
        groups.setdefault(places[operation_id], []).append(operation_id)
    return groups


def is_halted() -> Q:
    """Whether a halt in force holds the operation's environment and receiver."""
    by_halt = Q(pk__in=[])
    for halt in halts_in_force():
        scope = ~Q(pk__in=[])
        if halt.environment:
            scope &= Q(environment=halt.environment)
        if halt.receiver:
            scope &= Q(receiver=halt.receiver)
        by_halt |= scope
    return by_halt


def due_and_free(now: datetime) -> Q:
    """Due, and nobody holds the machine slot."""
    return is_free(now) & Q(next_try_at__lte=now)


def is_free(now: datetime) -> Q:
    """Nobody holds the machine slot."""
    return Q(claim_token=None) | Q(claim_given_back=True) | Q(claim_expires_at__lte=now)


def _ids(operations: QuerySet[Operation], limit: int) -> list[UUID]:
    return list(operations.order_by("next_try_at").values_list("pk", flat=True)[:limit])


def _every_fourth(unknown: list[UUID], told: list[UUID]) -> list[UUID]:
    """Three of the first, one of the second, and so on; then what is left of either."""
    threes = [unknown[at : at + 3] for at in range(0, len(unknown), 3)]
    pairs = zip_longest(threes, told)
    return [each for some, one in pairs for each in (*(some or ()), one) if each is not None]


def _by_turns(operations: QuerySet[Operation], limit: int) -> list[UUID]:
    """At most `limit`: the first of each receiver, then the second of each, and so on.

    One statement where all of them fit in; else one more for those behind the receivers that fill
    it, and so on.
    """
    queues: dict[tuple[str, str], list[UUID]] = {}
    others = operations.order_by("next_try_at").values_list("environment", "receiver", "pk")
    while limit:
        rows = list(others[:limit])
        for environment, receiver, operation_id in rows:
            queues.setdefault((environment, receiver), []).append(operation_id)
        if len(rows) < limit:
            break
        for environment, receiver in {row[:2] for row in rows}:
            others = others.exclude(environment=environment, receiver=receiver)
    turns = zip_longest(*queues.values())
    return [each for turn in turns for each in turn if each is not None][:limit]
