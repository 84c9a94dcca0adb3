"""Drills: the latest run with its table, the earlier ones, and how to run one."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from operations import clock
from operations.registry import DRILL, configuration
from operations.roles import Ability, may
from operations.templatetags.looks import Look
from operations.templatetags.wording import span
from operations.web.access import page
from operations.web.environment import PARAMETER
from operations.web.paging import Page, page_words, place_in
from reconciliation.models import DrillResult, DrillRun
from reconciliation.protocol.drills import AGENT, BY_NAME, CONSOLE, DrillVerdict
from reconciliation.queries.drills import (
    RunRecord,
    RunStatus,
    latest_run,
    left_open_count,
    run_numbered,
    runs_page,
)

PAGE_SIZE = 20
COMMAND = ".venv/bin/python manage.py drill"
STATUSES = {
    RunStatus.PASSED: (Look("passed", "check"), "good"),
    RunStatus.FAILED: (Look("failed", "cross"), "alarm"),
    RunStatus.RUNNING: (Look("running", "running"), "active"),
    RunStatus.STOPPED: (Look("stopped before its end", "warning"), "waiting"),
}
SENDERS = {AGENT: Look("agent", "agent"), CONSOLE: Look("console", "worker")}


@dataclass(frozen=True, slots=True, kw_only=True)
class DrillRow:
    """One drill of a run. A name that this release does not know is its own title.

    `anchor` is its place on the page, where the head of a run that failed leads.
    """

    result: DrillResult
    anchor: str
    title: str
    promise: str
    sender: Look | None
    has_passed: bool
    took: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """One run in words: its status with a tone, what it counted, how long it took ("" for none).

    `over_by`: of one that reads as running, when it is over in any case.
    """

    run: DrillRun
    status: Look
    tone: str
    counted: str
    took: str
    over_by: datetime | None
    kill_count: int
    rows: list[DrillRow]


@require_safe
@page(Ability.VIEW)
def drills(request: HttpRequest) -> HttpResponse:
    """The latest run whole, and all of them in a list, newest first."""
    now, after = clock.now(), place_in(request)
    runs, further = runs_page(after=after, limit=PAGE_SIZE, now=now)
    latest = latest_run(now=now) if after else next(iter(runs), None)
    here = reverse("reconciliation:drills")
    next_url = f"{here}?{urlencode({'after': str(further)})}" if further else ""
    context = _about(request, now) | {
        "latest": _view(latest) if latest else None,
        "runs": [_view(run) for run in runs],
        "page": Page(
            words=page_words(len(runs), "run", order="newest first"),
            first_url=here if after else "",
            next_url=next_url,
        ),
    }
    return render(request, "reconciliation/drills.html", context)


@require_safe
@page(Ability.VIEW)
def drill_run(request: HttpRequest, number: int) -> HttpResponse:
    """One run whole."""
    now = clock.now()
    found = run_numbered(number, now=now) if number < 2**63 else None
    if found is None:
        raise Http404
    return render(
        request, "reconciliation/drill_run.html", _about(request, now) | {"item": _view(found)}
    )


def _about(request: HttpRequest, now: datetime) -> dict[str, object]:
    """What both pages say. Who started a run is for those who may read the trail."""
    query = urlencode({PARAMETER: DRILL})
    return {
        "as_of": now,
        "here": request.get_full_path(),
        "command": COMMAND,
        "shows_who": may(request.user, Ability.READ_AUDIT),
        "can_run": configuration().drill is not None,
        "left_open_count": left_open_count(),
        "inbox_url": f"{reverse('inbox')}?{query}",
        "operations_url": f"{reverse('operations:list')}?{query}",
    }


def _view(record: RunRecord) -> RunView:
    status, tone = STATUSES[record.status]
    return RunView(
        run=record.run,
        status=status,
        tone=tone,
        counted=f"{record.passed_count} of {len(record.run.planned)} passed",
        took=span(record.took) if record.took is not None else "",
        over_by=record.run.over_by if record.status is RunStatus.RUNNING else None,
        kill_count=sum(result.kills for result in record.results),
        rows=[_row(result) for result in record.results],
    )


def _row(result: DrillResult) -> DrillRow:
    drill = BY_NAME.get(result.name)
    took: timedelta = result.ended_at - result.began_at
    return DrillRow(
        result=result,
        anchor=f"result-{result.pk}",
        title=drill.title if drill else result.name,
        promise=drill.promise if drill else "",
        sender=SENDERS.get(drill.sender) if drill else None,
        has_passed=result.verdict == DrillVerdict.PASSED,
        took=span(took),
    )
