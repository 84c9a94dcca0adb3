"""A drill's run and its results are written down, once, with the entries that tell of them."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import transaction

from operations import clock
from operations.actors import Actor
from operations.audit import DRILLS, append_entry
from operations.protocol.words import storable
from reconciliation.models import DrillResult, DrillRun
from reconciliation.protocol.drills import DrillVerdict

DRILL_ACTOR = Actor.system("drill")


@transaction.atomic
def start_drill(
    *, started_by: str, release: str, seed: int, planned: Sequence[str], within_seconds: int
) -> DrillRun:
    """A run with no result yet. `started_by` is the account of the machine that started it."""
    now = clock.now()
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
    """One drill's row; it passed when there is no `fault`. A second one of the name is refused."""
    return DrillResult.objects.create(
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


@transaction.atomic
def end_drill(*, run: DrillRun) -> list[DrillResult]:
    """All results of the run, in the order of the plan, once the entry holds each of them."""
    by_name = {result.name: result for result in run.results.all()}
    results = [by_name[name] for name in run.planned if name in by_name]
    append_entry(
        about=None,
        stream=DRILLS,
        event="end_drill",
        actor=DRILL_ACTOR,
        at=clock.now(),
        detail={
            "drill": run.pk,
            "results": [_told(result) for result in results],
            "missing": [name for name in run.planned if name not in by_name],
        },
    )
    return results


def _told(result: DrillResult) -> dict[str, object]:
    return {
        "name": result.name,
        "verdict": str(result.verdict),
        "kills": result.kills,
        "requests": result.requests,
        "effects": result.effects,
        "operation": str(result.operation_id) if result.operation_id else None,
    }
