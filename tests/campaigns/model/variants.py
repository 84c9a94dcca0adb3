"""All variants, and what came of exploring one: as expected, or a sentence that says why not."""

from dataclasses import dataclass, replace

from tests.campaigns.model.broken import BROKEN
from tests.campaigns.model.correct import CORRECT, LIMITS, SAFE, TOGETHER
from tests.campaigns.model.explore import Found, explore
from tests.campaigns.model.variant import Variant

VARIANTS: tuple[Variant, ...] = (*CORRECT, *SAFE, *BROKEN, *LIMITS)
# All but the largest world, for a run of a few seconds.
SMALL = tuple(each for each in VARIANTS if each.world != TOGETHER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explored:
    """One variant and what was found."""

    variant: Variant
    found: Found

    @property
    def mistake(self) -> str:
        """What was not as expected, in a sentence; empty when the verdict is the expected one."""
        variant, found = self.variant, self.found
        if found.broken is variant.breaks:
            return ""
        if found.broken is None:
            sought = variant.breaks.value if variant.breaks else ""
            return f'{variant.name}: expected a counterexample to "{sought}", got none'
        steps = "; ".join(step.sentence() for step in found.trace)
        return f'{variant.name}: "{found.broken.value}" does not hold: {steps}'


def explore_variant(variant: Variant, *, most_workers: int | None = None) -> Explored:
    """Explore one variant, with at most so many workers where a number is given."""
    world = variant.world
    if most_workers is not None:
        world = replace(world, workers=min(most_workers, world.workers))
    sought = variant.breaks or variant.only
    return Explored(variant=variant, found=explore(world, variant.rules, sought=sought))
