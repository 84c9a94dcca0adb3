"""Campaign 7: random stories through the real product, each step held against the reference."""

import os
import traceback
from collections.abc import Mapping

from django.conf import settings as django_settings
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from operations.protocol.transitions import TRANSITIONS
from tests.campaigns.harness.campaign import Campaign, Run, Tally
from tests.campaigns.harness.rig import Rig
from tests.campaigns.stateful.cast import hire
from tests.campaigns.stateful.chosen import RULES, TOUR, Tale, named
from tests.campaigns.stateful.coverage import Met
from tests.campaigns.stateful.places import configure_places
from tests.campaigns.stateful.scenes import Scenes
from tests.campaigns.stateful.story import Divergence, Stage, TimeIsUp

STORIES, STEPS = 200, 50
STORIES_IN_SLICE, STEPS_IN_SLICE = 30, 30
# However little time the start left over.
LEAST = 5
# Stories are told in chunks, each with a seed of its own: one that fails is soon told again.
CHUNK = 25
# `STATEFUL_STORIES=2000` is the nightly run.
WANTED = int(os.environ.get("STATEFUL_STORIES", STORIES))


def run(run: Run) -> Tally:
    """As many stories as are wanted and the budget allows; with a focus, only told ones."""
    if run.focus:
        return tell_focus(run)
    stage = set_up(run.rig())
    wanted, steps = (STORIES_IN_SLICE, STEPS_IN_SLICE) if run.is_slice else (WANTED, STEPS)
    told = Met()
    tales = TOUR if run.is_slice else {**TOUR, **RULES}
    _, broken = tell_chosen(stage, told, tales)
    stage.is_over = lambda: run.is_over() and stage.stories >= LEAST
    while stage.stories < wanted and not stage.is_over() and not broken:
        count = min(CHUNK, wanted - stage.stories)
        broken = tell(
            stage, run.random.randrange(2**32), count=count, steps=steps, shrinks=not run.is_slice
        )
        run.say(f"{stage.stories} stories, {sum(stage.met.acts.values())} acts")
    met, left_out = stage.met, stage.met.left_out()
    if not run.is_slice and stage.stories >= STORIES:
        broken += left_out
    return Tally(
        points=stage.stories,
        out_of=wanted,
        violations=tuple(broken),
        work={
            "told transitions": told.transitions(),
            "stories": stage.stories,
            "acts": sum(met.acts.values()),
            "refusals": sum(met.codes.values()),
            "kinds of acts": len(met.acts),
            "codes": len(met.codes),
            "transitions": met.transitions(),
            **{name: met.work[name] for name in ("requests", "effects", "confirmed")},
        },
        note=f"{len(TRANSITIONS)} transitions in the table; {len(met.reasons)} reasons met"
        + ("" if run.is_slice else f"; by chance {'; '.join(left_out) or 'all of it met'}"),
    )


def tell_focus(run: Run) -> Tally:
    """The told stories whose names hold the focus: the same acts with every seed."""
    tales = named(run.focus)
    if not tales:
        return Tally(points=0, note=f"no told story's name holds {run.focus!r}")
    told = Met()
    points, broken = tell_chosen(set_up(run.rig()), told, tales)
    if points < len(tales):
        broken += [f"only {points} of {len(tales)} told stories came to their end in time"]
    return Tally(
        points=points,
        out_of=len(tales),
        violations=tuple(broken),
        work={"acts": sum(told.acts.values()), "refusals": sum(told.codes.values())},
    )


def set_up(rig: Rig) -> Stage:
    """The receivers and the cast, on an empty record."""
    configure_places(rig.sandbox.url)
    django_settings.ALLOWED_HOSTS = [*django_settings.ALLOWED_HOSTS, "testserver"]
    return Stage(rig=rig, cast=hire(), met=Met())


def tell_chosen(stage: Stage, met: Met, tales: Mapping[str, Tale]) -> tuple[int, list[str]]:
    """How many were told to their end, and what diverged.

    They are counted apart in `met`: chance has to find its own.
    """
    by_chance, stage.met = stage.met, met
    told, broken = 0, []
    for name, tale in tales.items():
        try:
            tell_one(stage, tale)
        except Divergence as divergence:
            broken.append(f"{name}: {divergence}")
        except TimeIsUp:  # then transitions or points are missing, which is said
            continue
        told += 1
    stage.met, stage.stories, stage.is_cut_short = by_chance, 0, False
    return told, broken


def tell_one(stage: Stage, chapter: Tale) -> None:
    """One story whose acts are given. Raises Divergence."""

    class Told(Scenes):
        pass

    Told.stage, stage.found = stage, ""
    story = Told()
    chapter(story)
    story.teardown()


def tell(stage: Stage, number: int, *, count: int, steps: int, shrinks: bool = True) -> list[str]:
    """Tell `count` stories from this seed; what diverged, with the shortest story found."""

    @seed(number)
    class ThisStory(Scenes):
        pass

    ThisStory.stage, stage.found = stage, ""
    phases = (Phase.generate, Phase.shrink) if shrinks else (Phase.generate,)
    try:
        run_state_machine_as_test(
            ThisStory,
            settings=settings(
                max_examples=count,
                stateful_step_count=steps,
                deadline=None,
                database=None,
                phases=phases,
                print_blob=False,
                report_multiple_bugs=False,
                suppress_health_check=list(HealthCheck),
            ),
        )
    except (Divergence, TimeIsUp):
        pass
    except Exception:  # such as a divergence that did not come again: it counts all the same
        if not stage.is_cut_short:  # which Hypothesis takes for a story that changed
            return [f"seed {number}: {stage.found or traceback.format_exc()}"]
    stage.is_cut_short = False
    return [f"seed {number}: {stage.found}"] if stage.found else []


CAMPAIGN = Campaign(
    name="stateful",
    title="random stories of the service against a small reference of the rules",
    share=3,
    needs_seconds=40,
    run=run,
    has_focus=True,
    least={"told transitions": len(TRANSITIONS), "stories": 10, "acts": 400, "codes": 12},
    least_in_slice={"told transitions": len(TRANSITIONS), "stories": 3, "acts": 80, "codes": 5},
    slice_seconds=25.0,
)
