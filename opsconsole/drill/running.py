"""One run: who plays, all drills a few at a time, each result on record as soon as it is there."""

import random
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from django.conf import settings

from operations import clock
from opsconsole.drill.cast import a_token
from opsconsole.drill.failing import CannotDrill, Stopped
from opsconsole.drill.plays import Played, play
from opsconsole.drill.reaching import (
    require_answers,
    require_workers,
    the_receiver,
    workers_within_seconds,
)
from opsconsole.drill.scene import SKUS, Ground, Scene
from reconciliation.actions.record_drill import end_drill, record_drill_result, start_drill
from reconciliation.models import DrillResult, DrillRun
from reconciliation.protocol.drills import Drill
from reconciliation.protocol.refusals import DrillIsRunning

AT_ONCE = 5
# A drill takes up to 20 s: a lease of 9 s, a few sweeps, the start of some processes. The rest is
# for a busy machine.
LIMIT_SECONDS = 90
LIMIT_SWEEPS = 5

type Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to be drilled: `url` is the console's, `started_by` the account that asks."""

    url: str
    drills: Sequence[Drill]
    seed: int
    started_by: str
    release: str


def limit_seconds() -> int:
    """How long one drill may take at most."""
    return LIMIT_SECONDS + LIMIT_SWEEPS * settings.SWEEP_SECONDS


def run_within_seconds(drill_count: int) -> int:
    """Within which time a run of so many drills is over in any case."""
    return ceil(drill_count / AT_ONCE) * (limit_seconds() + 15)


def token_lives_seconds(drill_count: int) -> int:
    """How long the token is good: for the look whether a worker is there, the run, and a minute."""
    return workers_within_seconds() + run_within_seconds(drill_count) + 60


def run_drills(wanted: Wanted, *, say: Say) -> tuple[DrillRun, list[DrillResult]]:
    """The run and its results in the order of the table.

    Raises CannotDrill, and Stopped once a run is on record; before that KeyboardInterrupt.
    """
    receiver = the_receiver()
    require_answers(wanted.url, receiver)
    with a_token(lives_seconds=token_lives_seconds(len(wanted.drills))) as token:
        require_workers(wanted.url, token, receiver)
        run = _start(wanted, run_within_seconds(len(wanted.drills)))
        try:
            ground = Ground(
                url=wanted.url,
                token=token,
                sandbox_url=receiver.base_url,
                receiver=receiver.name,
                limit_seconds=limit_seconds(),
            )
            _play_all(run, wanted, ground, say)
        except KeyboardInterrupt:
            raise Stopped(run.pk) from None
        finally:
            results = end_drill(run=run)
    return run, results


def _start(wanted: Wanted, within_seconds: int) -> DrillRun:
    try:
        return start_drill(
            started_by=wanted.started_by,
            release=wanted.release,
            seed=wanted.seed,
            planned=[drill.name for drill in wanted.drills],
            within_seconds=within_seconds,
        )
    except DrillIsRunning as running:
        raise CannotDrill(f"{running.detail} {running.remedy}") from None


def _play_all(run: DrillRun, wanted: Wanted, ground: Ground, say: Say) -> None:
    say(f"Drill {run.pk} at {wanted.url}, seed {wanted.seed}: {len(wanted.drills)} drills.")
    chance = random.Random(wanted.seed)  # noqa: S311  a story, not a secret
    began_at = time.monotonic()

    def tell(words: str) -> None:
        say(f"{time.monotonic() - began_at:5.1f} s  {words}")

    numbers = {drill.name: chance.randint(1, 1000) for drill in wanted.drills}
    order = list(wanted.drills)
    chance.shuffle(order)
    scenes = {drill.name: _scene(drill, run, numbers[drill.name], ground) for drill in order}
    pool = ThreadPoolExecutor(max_workers=AT_ONCE)
    try:
        playing = {pool.submit(_play, scenes[drill.name], tell): drill for drill in order}
        for future in as_completed(playing):
            _write_down(run, playing[future], future, tell)
    finally:
        ground.stopped.set()  # after the last, and at once where somebody presses Ctrl-C
        for scene in scenes.values():
            scene.stop()
        pool.shutdown(cancel_futures=True)


def _scene(drill: Drill, run: DrillRun, number: int, ground: Ground) -> Scene:
    return Scene(
        drill=drill,
        ground=ground,
        key=f"drill-{run.pk}-{drill.name.replace('_', '-')}",
        quantity=number,
        sku=SKUS[number % len(SKUS)],
    )


def _play(scene: Scene, tell: Say) -> tuple[float, Played]:
    tell(f"begins  {_named(scene.drill)}: {scene.key}")
    began_at = time.monotonic()
    scene.begin()
    return began_at, play(scene)


def _write_down(
    run: DrillRun, drill: Drill, future: "Future[tuple[float, Played]]", tell: Say
) -> None:
    began, played = future.result()
    result = record_drill_result(
        run=run,
        name=drill.name,
        operation_id=played.operation_id,
        began_at=_instant(began),
        kills=played.kills,
        requests=played.requests,
        effects=played.effects,
        outcome=played.outcome,
        fault=played.fault,
    )
    tell(f"{result.verdict:6}  {_named(drill)}: {result.fault or result.outcome}")


def _instant(monotonic: float) -> datetime:
    """A moment of this process on the database's clock."""
    return clock.now() - timedelta(seconds=time.monotonic() - monotonic)


def _named(drill: Drill) -> str:
    return f"{drill.title} ({drill.sender})"
