"""/metrics: the few numbers an alarm is worth, asked from the database at each scrape."""

from collections.abc import Iterable
from datetime import datetime

from django.db import Error, connection
from django.db.models import Count, Min, QuerySet
from django.http import HttpRequest, HttpResponse
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from operations import clock
from operations.models import Halt, Operation, Review
from operations.protocol.states import Question, State
from operations.queries.environments import at_environment
from operations.registry import DRILL, configuration
from reconciliation.protocol.circuit import CircuitState
from reconciliation.queries.gates import gates

PREFIX = "opsconsole_"
# The drills are taken off afterwards: the states alone are counted in their index, without the
# rows. In one statement, since two of them see two moments, and their difference is of neither.
_OPERATIONS = """
    SELECT state, counted.n - COALESCE(drilled.n, 0)
    FROM (SELECT state, count(*) AS n FROM operations_operation GROUP BY state) counted
    LEFT JOIN (
        SELECT state, count(*) AS n FROM operations_operation
        WHERE environment = %(drill)s GROUP BY state
    ) drilled USING (state)
"""


class RecordCollector(Collector):
    """Counts and ages of the record but its drills. Every known word is shown, also with a zero."""

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """Ask now; ages are in seconds by the database's clock."""
        now = clock.now()
        yield _counts("operations", "Operations by state.", "state", State, _operations())
        yield _counts("open_reviews", "Open reviews by question.", "question", Question, _reviews())
        yield _gauge(
            "oldest_unknown_age_seconds",
            "How long the oldest operation in sent_unknown has been there; 0 with none.",
            _age(
                now,
                Operation.objects.filter(at_environment(""), state=State.SENT_UNKNOWN),
                "state_since",
            ),
        )
        yield _gauge(
            "oldest_open_review_age_seconds",
            "How long the oldest open review has waited for a person; 0 with none.",
            _age(now, _open_reviews(), "opened_at"),
        )
        yield _circuits(now)
        yield _gauge(
            "halts", "Dispatch halts in force.", Halt.objects.filter(lifted_at=None).count()
        )


def metrics(request: HttpRequest) -> HttpResponse:
    """Answer in Prometheus' text format; 503 while the database is away."""
    registry = CollectorRegistry(auto_describe=False)
    try:
        registry.register(RecordCollector())
        body = generate_latest(registry)
    except Error:
        return HttpResponse(
            "The database does not answer.\n", status=503, content_type="text/plain"
        )
    return HttpResponse(body, content_type=CONTENT_TYPE_LATEST)


def _operations() -> dict[str, int]:
    with connection.cursor() as cursor:
        cursor.execute(_OPERATIONS, {"drill": DRILL})
        return dict(cursor.fetchall())


def _circuits(now: datetime) -> GaugeMetricFamily:
    """One that half opened counts as open: most lookups still wait."""
    text = "1 while lookups at the receiver pause since it failed too often in a row, else 0."
    labels = ["environment", "receiver"]
    family = GaugeMetricFamily(f"{PREFIX}lookup_circuit_open", text, labels=labels)
    known = gates(now=now)
    for place, config in configuration().receivers.items():
        if config.profile.has_lookup:
            circuit = known[place].circuit if place in known else CircuitState.CLOSED
            family.add_metric(list(place), float(circuit != CircuitState.CLOSED))
    return family


def _open_reviews() -> QuerySet[Review]:
    here = at_environment("", column="operation__environment")
    return Review.objects.filter(here, closed_at=None)


def _reviews() -> dict[str, int]:
    return dict(_open_reviews().values_list("question").annotate(Count("id")).order_by())


def _counts(
    name: str, text: str, label: str, words: Iterable[str], counts: dict[str, int]
) -> GaugeMetricFamily:
    family = GaugeMetricFamily(PREFIX + name, text, labels=[label])
    for word in words:
        family.add_metric([str(word)], counts.get(str(word), 0))
    return family


def _gauge(name: str, text: str, number: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(PREFIX + name, text, value=number)


def _age(now: datetime, rows: object, since: str) -> float:
    oldest = rows.aggregate(oldest=Min(since))["oldest"]  # type: ignore[attr-defined]
    return max(0.0, (now - oldest).total_seconds()) if oldest else 0.0
