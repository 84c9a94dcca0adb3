"""A drill's run and its results are written down, once, with the entries that tell of them."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import connection, transaction

from operations import clock
from operations.actors import Actor
from operations.audit import DRILLS, append_entry
from operations.protocol.words import storable
from reconciliation.models import DrillEnd, DrillResult, DrillRun
from reconciliation.protocol.drills import DrillVerdict
from reconciliation.protocol.refusals import DrillIsRunning

DRILL_ACTOR = Actor.system("drill")
LOCK = 7002


@transaction.atomic
def start_drill(
    *, started_by: str, release: str, seed: int, planned: Sequence[str], within_seconds: int
) -> DrillRun:
    """A run with no result yet. `started_by` is the account of the machine that started it.

    Raises DrillIsRunning while another is neither over nor late.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
    now = clock.now()
    _require_none_running(now)
    run = DrillRun.objects.create(
        started_at=now,
        started_by=storable(started_by),
        release=release,
        seed=seed,
        planned=list(planned),
        within_seconds=within_seconds,
    )
    append_entry(
        about=None,
        stream=DRILLS,
        event="start_drill",
        actor=DRILL_ACTOR,
        at=now,
        reason=f"started by {run.started_by}",
        detail={"drill": run.pk, "release": release, "seed": seed, "planned": list(planned)},
    )
    return run


@transaction.atomic
def record_drill_result(
    *,
    run: DrillRun,
    name: str,
    operation_id: UUID | None,
    began_at: datetime,
    kills: int,
    requests: int | None,
    effects: int | None,
    outcome: str,
    fault: str,
) -> DrillResult:
    """One drill's row and its entry; it passed when there is no `fault`.

    The database refuses a second one of the name, a name that is not in the run's plan, and any
    after the run's end: IntegrityError.
    """
    result = DrillResult.objects.create(
        run=run,
        name=name,
        operation_id=operation_id,
        began_at=began_at,
        ended_at=clock.now(),
        kills=kills,
        requests=requests,
        effects=effects,
        outcome=storable(outcome),
        verdict=DrillVerdict.FAILED if fault else DrillVerdict.PASSED,
        fault=storable(fault),
    )
    append_entry(
        about=None,
        stream=DRILLS,
        event="drill_result",
        actor=DRILL_ACTOR,
        at=result.ended_at,
        detail={"drill": run.pk, **_told(result)},
    )
    return result


@transaction.atomic
def end_drill(*, run: DrillRun) -> list[DrillResult]:
    """All results of the run, in the order of the plan, once the entry holds each of them."""
    now = clock.now()
    DrillEnd.objects.create(run=run, at=now)
    by_name = {result.name: result for result in run.results.all()}
    results = [by_name[name] for name in run.planned if name in by_name]
    append_entry(
        about=None,
        stream=DRILLS,
        event="end_drill",
        actor=DRILL_ACTOR,
        at=now,
        detail={
            "drill": run.pk,
            "results": [_told(result) for result in results],
            "missing": [name for name in run.planned if name not in by_name],
        },
    )
    return results


def _require_none_running(now: datetime) -> None:
    for run in DrillRun.objects.filter(end=None).order_by("-started_at")[:1]:
        if now < run.over_by:
            raise DrillIsRunning(number=run.pk, since=run.started_at, until=run.over_by)


def _told(result: DrillResult) -> dict[str, object]:
    return {
        "name": result.name,
        "verdict": str(result.verdict),
        "kills": result.kills,
        "requests": result.requests,
        "effects": result.effects,
        "operation": str(result.operation_id) if result.operation_id else None,
    }
