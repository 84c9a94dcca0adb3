"""How each receiver's unknowns are doing: four groupings, however many operations there are."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Aggregate, Count, DurationField, F, Min, OuterRef, Q, Subquery

from operations.models import Attempt, Lookup, Operation
from operations.protocol.states import LookupResult, State
from reconciliation.queries.gates import Gate, Lag, gates, lags

DAY = timedelta(hours=24)
# States in which what became of a send is known; a cancelled operation was never sent.
SETTLED = (State.CONFIRMED, State.REFUSED, State.NOT_EXECUTED)


@dataclass(slots=True, kw_only=True)
class Standing:
    """One receiver in one environment; settled and looked up within the last 24 hours.

    `time_to_settle` is the median from the first mark to the settled state, `lag` that until a
    lookup found it; both None where nothing was.
    """

    unknown_count: int = 0
    oldest_at: datetime | None = None
    settled_count: int = 0
    time_to_settle: timedelta | None = None
    lookups: dict[LookupResult, int] = field(default_factory=dict)
    gate: Gate = field(default_factory=Gate)
    lag: Lag | None = None


class Median(Aggregate):
    """PostgreSQL's percentile_cont(0.5)."""

    function = "percentile_cont"
    template = "%(function)s(0.5) WITHIN GROUP (ORDER BY %(expressions)s)%(filter)s"
    output_field = DurationField()


def standings(*, now: datetime) -> Mapping[tuple[str, str], Standing]:
    """By (environment, receiver); one that nothing is known of has an empty standing."""
    found: dict[tuple[str, str], Standing] = defaultdict(Standing)
    for row in _operations(since=now - DAY):
        found[row["environment"], row["receiver"]] = Standing(
            unknown_count=row["unknown_count"],
            oldest_at=row["oldest_at"],
            settled_count=row["settled_count"],
            time_to_settle=row["time_to_settle"],
        )
    for row in _looked_up(since=now - DAY):
        standing = found[row["operation__environment"], row["operation__receiver"]]
        standing.lookups[LookupResult(row["result"])] = row["count"]
    for place, gate in gates(now=now).items():
        found[place].gate = gate
    for place, lag in lags(since=now - DAY).items():
        found[place].lag = lag
    return found


def _operations(*, since: datetime) -> Any:
    is_unknown = Q(state=State.SENT_UNKNOWN)
    is_settled = Q(state__in=SETTLED, state_since__gte=since)
    marks = Attempt.objects.filter(operation=OuterRef("pk")).order_by("generation")
    told = Operation.objects.filter(is_unknown | is_settled).order_by()
    timed = told.annotate(took=F("state_since") - Subquery(marks.values("marked_at")[:1]))
    return timed.values("environment", "receiver").annotate(
        unknown_count=Count("pk", filter=is_unknown),
        oldest_at=Min("state_since", filter=is_unknown),
        settled_count=Count("pk", filter=is_settled),
        time_to_settle=Median("took", filter=is_settled),
    )


def _looked_up(*, since: datetime) -> Any:
    asked = Lookup.objects.filter(asked_at__gte=since).order_by()
    return asked.values("operation__environment", "operation__receiver", "result").annotate(
        count=Count("pk")
    )
