"""Runs of drills as they read now: passed, failed, still running, or stopped before their end."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from operations.models import Review
from operations.queries.places import RowPlace, page_of
from operations.registry import DRILL
from reconciliation.models import DrillResult, DrillRun
from reconciliation.protocol.drills import DrillVerdict


class RunStatus(StrEnum):
    """What a run comes to."""

    PASSED = "passed"
    FAILED = "failed"
    RUNNING = "running"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """One run with its results in the order of its plan. `took` is None while one is missing."""

    run: DrillRun
    results: Sequence[DrillResult]
    status: RunStatus
    took: timedelta | None

    @property
    def passed_count(self) -> int:
        """How many of its drills passed."""
        return sum(result.verdict == DrillVerdict.PASSED for result in self.results)


def runs_page(
    *, after: RowPlace | None, limit: int, now: datetime
) -> tuple[list[RunRecord], RowPlace | None]:
    """At most `limit` runs older than `after`, newest first, and the place to go on from."""
    rows = DrillRun.objects.select_related("end").prefetch_related("results")
    page, further = page_of(rows, by="started_at", after=after, limit=limit)
    return [record_of(run, now=now) for run in page], further


def latest_run(*, now: datetime) -> RunRecord | None:
    """The newest run; None before the first."""
    found, _ = runs_page(after=None, limit=1, now=now)
    return found[0] if found else None


def run_numbered(number: int, *, now: datetime) -> RunRecord | None:
    """One run by its number."""
    runs = DrillRun.objects.select_related("end").prefetch_related("results")
    run = runs.filter(pk=number).first()
    return record_of(run, now=now) if run else None


def record_of(run: DrillRun, *, now: datetime) -> RunRecord:
    """A run whose results are at hand, judged at `now`."""
    by_name = {result.name: result for result in run.results.all()}
    results = [by_name[name] for name in run.planned if name in by_name]
    is_whole = len(results) == len(run.planned)
    ended_at = max((result.ended_at for result in results), default=run.started_at)
    return RunRecord(
        run=run,
        results=results,
        status=_status(run, results, is_whole=is_whole, now=now),
        took=ended_at - run.started_at if is_whole else None,
    )


def left_open_count() -> int:
    """How many questions the drills left open in their own environment."""
    return Review.objects.filter(operation__environment=DRILL, closed_at=None).count()


def _status(
    run: DrillRun, results: Sequence[DrillResult], *, is_whole: bool, now: datetime
) -> RunStatus:
    if any(result.verdict == DrillVerdict.FAILED for result in results):
        return RunStatus.FAILED
    if is_whole:
        return RunStatus.PASSED
    is_late = now >= run.over_by
    is_over = is_late or hasattr(run, "end")
    return RunStatus.STOPPED if is_over else RunStatus.RUNNING
